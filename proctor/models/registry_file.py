"""What a models.yaml says, checked field by field, before providers and models are put together."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from proctor._base import marked_yaml
from proctor._base.json_values import Json
from proctor._base.marked_yaml import Marked, nearest
from proctor.media.limits import Settings
from proctor.media.medium import Kind
from proctor.models.efforts import Effort, read_effort
from proctor.models.endpoint_file import read_addresses, read_headers, read_query
from proctor.models.lifecycle import Lifecycle, read_lifecycle
from proctor.models.media_limits_file import FIELDS, read_inputs, read_media, read_outputs
from proctor.tasks.names import FULL_NAME

T = TypeVar("T")

APIS = ("openai-chat", "openai-responses", "anthropic-messages", "openai-images")
WITHOUT_BATCHES = frozenset({"openai-images"})
RESERVED_NAMES = frozenset({"oracle", "chance", "constant"})

# What the call itself decides. `n` too: more than one answer is --epochs, so that each is a row of its own.
NOT_PARAMETERS = frozenset({"model", "messages", "input", "prompt", "image", "system", "stream", "n"})
EXTRA_BODY = "extra_body"
"""A parameter that holds further ones, as they are on the wire."""
HOW_SHOWN = frozenset({"media", "inputs", "outputs", *(name for names in FIELDS.values() for name in names)})
"""What models.yaml says of media; it is no sampling parameter either."""

SHARED_FIELDS = (
    *("api", "base_url", "base_url_env", "key_env", "headers", "query"),
    *("parameters", "unsupported", "rename", "inputs", "media", "effort"),
)
PROVIDER_FIELDS = (*SHARED_FIELDS, "batch_discount", "prices")
MODEL_FIELDS = (
    *(*SHARED_FIELDS, "provider", "api_id", "aliases", "window", "price", "limits"),
    *("lifecycle", "unverified", "prices"),
)
FAMILY_FIELDS = ("models", "api", "parameters", "unsupported", "rename", "inputs", "effort")
NO_LIBRARY = "none"
"""The value of ``prices`` for a model whose price is that of models.yaml, whatever the library of prices says."""
DEFAULT_API = "openai-chat"
"""What a provider speaks that does not say: most do."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")  # no slash: it tells provider/api-id from a name
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens; *cached_input* is ``None`` where the provider's discount is unknown."""

    input: float
    output: float
    cached_input: float | None = None


@dataclass(frozen=True)
class RateLimits:
    """What the provider allows this account per minute; ``None`` where unknown."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(frozen=True)
class Dialect:
    """How requests differ from the neutral form: of an api, a provider or a model.

    Args:
        parameters: What is sent unless the task or the command line says otherwise.
        required: What is sent because there is no request without it.
        unsupported: The names of parameters that are refused.
        rename: What parameters are called there, by their neutral names.
        inputs: The media that may be shown; ``None`` where nobody says.
        outputs: The media that are made.
        media: How media are taken; see `proctor.models.media_limits_file`.
        effort: How levels of effort are said.
    """

    parameters: Mapping[str, Json] = field(default_factory=dict)
    required: Mapping[str, Json] = field(default_factory=dict)
    unsupported: frozenset[str] = frozenset()
    rename: Mapping[str, str] = field(default_factory=dict)
    inputs: frozenset[Kind] | None = None
    outputs: frozenset[Kind] = frozenset()
    media: Settings = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class Family:
    """One entry of ``families:``: what models have in common whose API ids have such names."""

    name: str
    patterns: tuple[str, ...]
    api: str | None
    dialect: Dialect

    def has(self, api_id: str, api: str) -> bool:
        """Whether a model that is asked through *api* is of the family; a maker's name before a slash says nothing."""
        if self.api not in (None, api):
            return False
        return self._names.match(api_id.rpartition("/")[2].casefold()) is not None

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return re.compile("|".join(fnmatch.translate(pattern.casefold()) for pattern in self.patterns))


@dataclass(frozen=True)
class Location:
    """Where an entry stands, and whether that is the file that ships."""

    file: Path
    line: int
    built_in: bool


@dataclass(frozen=True)
class Provider:
    """One entry of ``providers:``; the head of models.yaml says what its fields are.

    Args:
        prices: What the library of prices calls it.
        location: Where it stands.
    """

    name: str
    api: str
    base_urls: tuple[str, ...]
    base_url_env: str | None
    key_env: str | None
    headers: Mapping[str, str]
    query: Mapping[str, str]
    batch_discount: float | None
    prices: str | None
    dialect: Dialect
    location: Location


@dataclass(frozen=True)
class Entry:
    """One entry of ``models:``; the head of models.yaml says what its fields are.

    Args:
        prices: What the library of prices calls it.
        location: Where it stands.
        marks: Where the fields stand that are checked against other entries.
    """

    name: str
    aliases: tuple[str, ...]
    provider: str
    api: str | None
    api_id: str
    base_urls: tuple[str, ...]
    base_url_env: str | None
    key_env: str | None
    headers: Mapping[str, str]
    query: Mapping[str, str]
    window: int | None
    price: Price | None
    limits: RateLimits
    lifecycle: Lifecycle
    unverified: str | None
    prices: str | None
    dialect: Dialect
    location: Location
    marks: Mapping[str, Marked] = field(repr=False, default_factory=dict)


@dataclass
class Entries:
    """Everything that one or several files say, by name."""

    apis: dict[str, Dialect] = field(default_factory=dict)
    providers: dict[str, Provider] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    models: dict[str, Entry] = field(default_factory=dict)
    roles: dict[tuple[str, str], Marked] = field(default_factory=dict)  # by task and role: the name of a model


def read(file: Path, into: Entries, *, built_in: bool = False) -> None:
    """Add what *file* says to *into*; an entry replaces the one of the same name (in any case of letters).

    Args:
        file: The file.
        into: What was read before.
        built_in: Whether it is the file that ships.

    Raises:
        DataError: For the first mistake in the file, with its line.
    """
    top = marked_yaml.load(file, trusted=built_in).fields(("apis", "providers", "families", "models", "roles"))
    for name, item in _section(top, "apis"):
        if name not in APIS:
            item.fail_key("unknown api", nearest(name, APIS) or f"one of {', '.join(APIS)}")
        item.fields(("required", "unsupported", "rename", "outputs", "media", "effort"))
        into.apis[name] = _dialect(item, whole_media=True)
    for name, item in _section(top, "providers"):
        into.providers[name] = _provider(name, item, built_in=built_in)
    for name, item in _section(top, "families"):
        found = item.fields(FAMILY_FIELDS, needed=("models",))
        into.families[name] = Family(
            name, tuple(found["models"].words()), _optional(found, "api", _api), _dialect(item)
        )
    for name, item in _section(top, "models"):
        _check_name(name, item.fail_key)
        for replaced in [known for known in into.models if known.casefold() == name.casefold()]:
            if into.models[replaced].marks["entry"].file == file:
                item.fail_key(f"this model was defined before, as {replaced!r}", "keep one: case makes no difference")
            del into.models[replaced]
        into.models[name] = _entry(name, item, built_in=built_in)
    for task, item in _section(top, "roles"):
        if not re.fullmatch(FULL_NAME, task):
            item.fail_key("not the name of a task", "write it as benchmark/task")
        for role, model in item.mapping().items():
            model.text()
            into.roles[task, role] = model


def _section(top: Mapping[str, Marked], name: str) -> list[tuple[str, Marked]]:
    return list(top[name].mapping().items()) if name in top else []


def _check_name(name: str, fail: Callable[[str, str], object]) -> None:
    if name.casefold() in RESERVED_NAMES:
        fail(f"{name!r} is built in", "choose another name")
    if not NAME.fullmatch(name):
        fail(f"{name!r} is no name for a model", "use letters, digits and . _ + - only")


def _provider(name: str, item: Marked, *, built_in: bool) -> Provider:
    found = item.fields(PROVIDER_FIELDS)
    if "base_url" not in found and "base_url_env" not in found:
        item.fail_key("'base_url' is missing", "add a line base_url: …, or base_url_env: with a variable that holds it")
    if not NAME.fullmatch(name):
        item.fail_key(f"{name!r} is no name for a provider", "use letters, digits and . _ + - only")
    return Provider(
        name=name,
        api=_optional(found, "api", _api) or DEFAULT_API,
        base_urls=_optional(found, "base_url", read_addresses) or (),
        base_url_env=_optional(found, "base_url_env", _variable),
        key_env=_optional(found, "key_env", _variable),
        headers=_optional(found, "headers", read_headers) or {},
        query=_optional(found, "query", read_query) or {},
        location=Location(item.file, item.key_line, built_in),
        batch_discount=_optional(found, "batch_discount", lambda mark: mark.number(most=1)),
        prices=_optional(found, "prices", Marked.text),
        dialect=_dialect(item),
    )


def _entry(name: str, item: Marked, *, built_in: bool) -> Entry:
    found = item.fields(MODEL_FIELDS, needed=("provider", "api_id"))
    aliases = found["aliases"].items() if "aliases" in found else []
    for alias in aliases:
        _check_name(alias.text(), alias.fail)
    return Entry(
        name=name,
        aliases=tuple(alias.text() for alias in aliases),
        provider=found["provider"].text(),
        api=_optional(found, "api", _api),
        api_id=_api_id(found["api_id"]),
        base_urls=_optional(found, "base_url", read_addresses) or (),
        base_url_env=_optional(found, "base_url_env", _variable),
        key_env=_optional(found, "key_env", _variable),
        headers=_optional(found, "headers", read_headers) or {},
        query=_optional(found, "query", read_query) or {},
        window=_optional(found, "window", Marked.count),
        price=_optional(found, "price", _price),
        limits=_optional(found, "limits", _limits) or RateLimits(),
        lifecycle=_optional(found, "lifecycle", read_lifecycle) or Lifecycle(),
        unverified=_optional(found, "unverified", Marked.text),
        prices=_optional(found, "prices", Marked.text),
        dialect=_dialect(item),
        location=Location(item.file, item.key_line, built_in),
        marks={"entry": item, **found},
    )


def _optional(found: Mapping[str, Marked], name: str, read: Callable[[Marked], T]) -> T | None:
    return read(found[name]) if name in found else None


def _api(mark: Marked) -> str:
    name = mark.text()
    if name not in APIS:
        mark.fail("unknown api", nearest(name, APIS) or f"one of {', '.join(APIS)}")
    return name


def _api_id(mark: Marked) -> str:
    name = mark.text()
    if any(letter.isspace() or not letter.isprintable() for letter in name):
        mark.fail("an API id has no blanks")
    return name


def _variable(mark: Marked) -> str:
    name = mark.text()
    if not VARIABLE.fullmatch(name):
        # Somebody pasted the key itself: the message must not repeat it.
        mark.fail_key("not the name of an environment variable", "such as OPENAI_API_KEY; never the key itself")
    return name


def _price(mark: Marked) -> Price:
    found = mark.fields(("input", "output", "cached_input"), needed=("input", "output"))
    return Price(
        input=found["input"].number(),
        output=found["output"].number(),
        cached_input=_optional(found, "cached_input", Marked.number),
    )


def _limits(mark: Marked) -> RateLimits:
    found = mark.fields(("requests_per_minute", "tokens_per_minute"))
    return RateLimits(
        requests_per_minute=_optional(found, "requests_per_minute", Marked.count),
        tokens_per_minute=_optional(found, "tokens_per_minute", Marked.count),
    )


def _dialect(item: Marked, *, whole_media: bool = False) -> Dialect:
    found = item.mapping()
    unsupported = frozenset(found["unsupported"].words()) if "unsupported" in found else frozenset()
    rename = found["rename"].mapping() if "rename" in found else {}
    for target in rename.values():
        if target.text() in NOT_PARAMETERS:
            target.fail("not a parameter: the call itself decides it")
    return Dialect(
        parameters=_parameters(found, "parameters", unsupported),
        required=_parameters(found, "required", unsupported),
        unsupported=unsupported,
        rename={name: target.text() for name, target in rename.items()},
        inputs=_optional(found, "inputs", read_inputs),
        outputs=_optional(found, "outputs", read_outputs) or frozenset(),
        media=_optional(found, "media", partial(read_media, whole=whole_media)) or {},
        effort=_optional(found, "effort", read_effort) or Effort(),
    )


def _parameters(found: Mapping[str, Marked], name: str, unsupported: frozenset[str]) -> dict[str, Json]:
    items = found[name].mapping() if name in found else {}
    for key, value in items.items():
        if key in NOT_PARAMETERS:
            value.fail_key("not a parameter: the call itself decides it", "leave it out")
        if key in HOW_SHOWN:
            value.fail_key("not a parameter: it says how media are shown", "set it under media:, beside parameters:")
        if key in unsupported:
            value.fail_key("given a value and listed as unsupported", "keep one")
    if EXTRA_BODY in items:
        for key, value in items[EXTRA_BODY].mapping().items():
            if key in NOT_PARAMETERS:
                value.fail_key("not a parameter: the call itself decides it", "leave it out")
    return {key: value.json() for key, value in items.items()}


def check_names(entries: Entries) -> None:
    """Raise a DataError where a name or an alias means two models; it blames the later one."""
    position = {name: index for index, name in enumerate(entries.models)}
    owners = {name.casefold(): name for name in entries.models}
    for entry in entries.models.values():
        for alias in entry.aliases:
            owner = owners.setdefault(alias.casefold(), entry.name)
            if position[owner] > position[entry.name]:
                mark = entries.models[owner].marks["entry"]
                mark.fail_key(f"model {entry.name!r} has this alias already", "choose another name")
            if owner != entry.name:
                mark = next(item for item in entry.marks["aliases"].items() if item.value == alias)
                mark.fail(f"model {owner!r} has this name already", "choose another alias")


def merged(dialects: Iterable[Dialect]) -> Dialect:
    """What several say together; a later one goes before an earlier one."""
    whole = Dialect()
    for own in dialects:
        whole = Dialect(
            parameters={**whole.parameters, **own.parameters},
            unsupported=whole.unsupported | own.unsupported,
            rename={**whole.rename, **own.rename},
            inputs=whole.inputs if own.inputs is None else own.inputs,
            media=own.media or whole.media,  # families have none
            effort=own.effort.over(whole.effort),
        )
    return whole
