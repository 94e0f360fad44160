"""The model registry: what a model is called, where it answers, how it is asked and what it costs.

Importing this module imports no provider's SDK, and no YAML parser before a registry is loaded.
"""

from __future__ import annotations

import difflib
import hashlib
import ipaddress
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from proctor.calls import Call, Json, Message, Usage
from proctor.errors import UsageError
from proctor.media.limits import MediaLimits
from proctor.media.medium import Kind, Media
from proctor.models.entries import (
    HOW_SHOWN,
    NOT_PARAMETERS,
    RESERVED_NAMES,
    WITHOUT_BATCHES,
    Dialect,
    Entries,
    Entry,
    Limits,
    Price,
    Provider,
    read,
)
from proctor.models.marked_yaml import nearest

__all__ = ["RESERVED_NAMES", "Limits", "Model", "Price", "Registry", "keys_in_environment"]

PLACEHOLDER_KEY = "no-key-needed"  # the SDKs insist on some key; a local server takes any
MILLION = 1_000_000
LONGEST_FILE_NAME = 150  # leaves room for a suffix below the 255 bytes of common file systems


@dataclass(frozen=True)
class Model:
    """A model as it can be asked.

    Args:
        name: Its canonical name: that of the registry, or ``provider/api-id``.
        provider: Name of the provider.
        api: What the endpoint speaks, of `proctor.models.entries.APIS`.
        api_id: What the provider calls it.
        base_url: Its endpoint.
        base_url_env: Variable whose value, if there is one, replaces *base_url*.
        key_env: Variable that holds the API key, if one is needed.
        aliases: Its other names.
        parameters: Sent with every call.
        required: Sent where nothing else gives a value, because the API insists on one.
        unsupported: Parameters the model refuses.
        rename: Neutral parameter name to its name on the wire.
        window: Tokens of context, if known.
        price: What tokens cost, if known.
        batch_discount: Share of the price that the provider's batch API saves, if it has one.
        limits: Requests and tokens per minute, if known.
        inputs: The kinds of media that it takes beside text; ``None`` if that is not known.
        outputs: The kinds of media that it makes instead of texts.
        media: How media are shown to it.
    """

    name: str
    provider: str
    api: str
    api_id: str
    base_url: str = field(repr=False)  # may hold a password, and tracebacks show what there is
    base_url_env: str | None = None
    key_env: str | None = None
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Json] = field(default_factory=dict, hash=False)
    required: Mapping[str, Json] = field(default_factory=dict, hash=False)
    unsupported: frozenset[str] = frozenset()
    rename: Mapping[str, str] = field(default_factory=dict, hash=False)
    window: int | None = None
    price: Price | None = None
    batch_discount: float | None = None
    limits: Limits = field(default_factory=Limits)
    inputs: frozenset[Kind] | None = None
    outputs: frozenset[Kind] = frozenset()
    media: MediaLimits = field(default_factory=MediaLimits)

    def shown(self, medium: Media) -> Mapping[str, Json]:
        """The part of a message that shows this model a medium; see `proctor.calls.Message`."""
        return self.media.shown(medium)

    def lacks(self, wanted: Collection[Kind]) -> list[Kind]:
        """The kinds of media, of those wanted, that cannot be shown to this model, as far as is known.

        One that takes pictures takes clips. A model of which nothing is known takes whatever its API takes.
        """
        known = wanted if self.inputs is None else {*self.inputs, *(("video",) if "image" in self.inputs else ())}
        return sorted(kind for kind in wanted if kind not in known or not self.media.takes(kind))

    def call(
        self,
        messages: Sequence[Message],
        defaults: Mapping[str, Json],
        overrides: Mapping[str, Json],
        media: Mapping[str, Path] | None = None,
    ) -> Call:
        """The request that asks this model.

        Args:
            messages: The conversation; the last message is the question.
            defaults: The task's parameters; those the model does not support are left out.
            overrides: The command line's parameters. They win over the registry's, which win over *defaults*.
            media: The files of the media that the messages show, by hash.

        Returns:
            A call with neutral parameter names; :attr:`rename` is applied when it is sent.

        Raises:
            UsageError: If an override is not supported by the model, or names what is no parameter.
        """
        for name in overrides:
            if name in self.unsupported:
                raise UsageError(f"model {self.name} does not support the parameter {name!r}", remedy="leave it out")
        wanted = {**self.required, **defaults, **self.parameters, **overrides}
        for name in wanted:
            if name in NOT_PARAMETERS:
                remedy = "use --epochs to ask each sample several times" if name == "n" else "leave it out"
                raise UsageError(f"{name!r} is not a parameter that can be set", remedy=remedy)
            if name in HOW_SHOWN:
                raise UsageError(
                    f"{name!r} is not a parameter: it says how media are shown",
                    remedy="set it under media: in models.yaml",
                )
        parameters = {name: value for name, value in wanted.items() if name not in self.unsupported}
        return Call(model=self.api_id, messages=tuple(messages), parameters=parameters, media=media or {})

    def cost(self, usage: Usage, *, batch: bool = False) -> float | None:
        """What an answer cost, in dollars.

        Args:
            usage: Its tokens. Input includes cached input, and output includes reasoning. Cached input counts at full
                price where the discount is unknown, so that the cost is never understated.
            batch: Whether it came out of a batch.

        Returns:
            Dollars, or ``None`` where the price or a token count is unknown.
        """
        if self.price is None:
            return None
        if not (self.price.input or self.price.output):
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        cached_price = self.price.input if self.price.cached_input is None else self.price.cached_input
        fresh = (usage.input_tokens - cached) * self.price.input
        full = (fresh + cached * cached_price + usage.output_tokens * self.price.output) / MILLION
        return full * (1 - (self.batch_discount or 0.0)) if batch else full

    def url(self, environ: Mapping[str, str] = os.environ) -> str:
        """The endpoint: the variable :attr:`base_url_env` if it is set, else :attr:`base_url`.

        Raises:
            UsageError: If the variable does not hold an address.
        """
        given = environ.get(self.base_url_env or "", "").strip()
        if given and not re.fullmatch(r"https?://[^\s/]\S*", given):
            # The value is not shown: a mixed-up variable may hold a key.
            raise UsageError(f"{self.base_url_env} does not hold an address", remedy="such as https://host/path")
        return given or self.base_url

    def key(self, environ: Mapping[str, str] = os.environ) -> str | None:
        """The API key; a placeholder where none is needed; ``None`` where it is missing.

        None is needed where the provider names no variable and on the loopback interface of this machine.
        """
        key = environ.get(self.key_env or "", "").strip()
        if key:
            return key
        return PLACEHOLDER_KEY if self.key_env is None or _is_loopback(self.url(environ)) else None

    def missing_key(self, environ: Mapping[str, str] = os.environ) -> str | None:
        """The variable that must be set before this model can be asked; ``None`` if nothing is missing."""
        return self.key_env if self.key(environ) is None else None

    @property
    def file_name(self) -> str:
        """The name, made safe for a file; see `safe_file_name`."""
        return safe_file_name(self.name)

    @property
    def folder_names(self) -> tuple[str, ...]:
        """How a folder with files of others may be called: as the model is, where that is the name of a folder."""
        return tuple(dict.fromkeys((self.file_name, *([self.name] if Path(self.name).name == self.name else []))))


def safe_file_name(model: str) -> str:
    """A model's name, made safe for a file: no slash, no leading dot, no ``..``; different for different names."""
    safe = re.sub(r"[^A-Za-z0-9._+/-]|(?:^|(?<=[./]))\.", _percent, model).replace("/", "~")
    if len(safe) > LONGEST_FILE_NAME:
        digest = hashlib.sha256(model.encode()).hexdigest()[:16]
        safe = f"{safe[: LONGEST_FILE_NAME - 17]}~{digest}"
    return safe


class Registry:
    """All models that have a name, and the providers under which any other can be asked."""

    def __init__(
        self,
        models: Sequence[Model],
        providers: Mapping[str, Model],
        roles: Mapping[tuple[str, str], str] | None = None,
        media: Mapping[str, MediaLimits] | None = None,
    ) -> None:
        self.models = tuple(models)
        self.media = media or {}  # by api: how media are shown, unless a provider or a model says otherwise
        self.roles = roles or {}  # by task and role: who plays it, unless the run says otherwise
        self._providers = providers  # by folded name: a model without name or id that has the provider's settings
        self._by_name: dict[str, Model] = {}
        for model in models:
            # The first of several models with one API id is found by it: the built-in one before a user's variant.
            self._by_name.setdefault(model.api_id.casefold(), model)
        for model in models:
            self._by_name.update({name.casefold(): model for name in (model.name, *model.aliases)})

    @classmethod
    def load(cls, *files: Path) -> Registry:
        """The built-in registry with the user's *files* over it; later files add or replace models and providers.

        Raises:
            DataError: If a file cannot be read or holds a mistake; it names file, line and field.
        """
        entries = Entries()
        built_in = _built_in()
        # In a checkout of Proctor itself the user's file is the built-in one.
        for file in (built_in, *(file for file in files if not (file.exists() and file.samefile(built_in)))):
            read(file, entries)
        _check_names(entries)
        models = [_model(entry, entries) for entry in entries.models.values()]
        providers = {
            name.casefold(): _bare(provider, provider.api, entries) for name, provider in entries.providers.items()
        }
        roles = {place: mark.text() for place, mark in entries.roles.items()}
        registry = cls(
            models, providers, roles, {api: MediaLimits.of(said.media) for api, said in entries.apis.items()}
        )
        for mark in entries.roles.values():
            try:
                registry.resolve(mark.text())
            except UsageError as error:
                mark.fail(str(error))
        return registry

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names, in the order of the files."""
        return tuple(model.name for model in self.models)

    def resolve(self, name: str) -> Model:
        """The model that *name* means.

        Args:
            name: A name, an alias, an API id, or ``provider/api-id``, in any case of letters. The last form works for
                every model of a known provider, registered or not.

        Returns:
            The registered model, or one with its provider's settings and the canonical name ``provider/api-id``.

        Raises:
            UsageError: If there is no such model; it suggests the nearest names.
        """
        found = self._by_name.get(name.casefold())
        if found is not None:
            return found
        provider, slash, rest = name.partition("/")
        bare = self._providers.get(provider.casefold())
        if not slash or bare is None or not rest or any(c.isspace() or not c.isprintable() for c in rest):
            raise self._unknown(name)
        found = self._by_name.get(rest.casefold())
        if found is not None and found.provider == bare.provider:
            return found
        for model in self.models:
            if model.provider == bare.provider and model.api_id.casefold() == rest.casefold():
                return model
        return replace(bare, name=f"{bare.provider}/{rest}", api_id=rest)

    def _unknown(self, name: str) -> UsageError:
        shown = {other: model.name for other, model in self._by_name.items()}
        near = difflib.get_close_matches(name.casefold(), list(shown), n=5, cutoff=0.6)
        names = list(dict.fromkeys(shown[match] for match in near))[:3]
        providers = ", ".join(model.provider for model in self._providers.values())
        return UsageError(
            f"unknown model {name!r}" + (f"; did you mean {' or '.join(names)}?" if names else ""),
            remedy=f"write provider/api-id (providers: {providers}), or add it to models.yaml",
        )


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def keys_in_environment(models: Iterable[Model], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The API keys that are set, by variable."""
    variables = sorted({model.key_env for model in models if model.key_env})
    return {name: environ[name] for name in variables if environ.get(name)}


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _built_in() -> Path:
    """The packaged registry: inside the package once that is built, at the root in a checkout."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "models.yaml"
    return packaged if packaged.exists() else package.parent / "models.yaml"


def _check_names(entries: Entries) -> None:
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


def _model(entry: Entry, entries: Entries) -> Model:
    mark = entry.marks["provider"]
    provider = entries.providers.get(entry.provider)
    if provider is None:
        known = entries.providers
        mark.fail("unknown provider", nearest(entry.provider, known) or f"known providers: {', '.join(known)}")
    bare = _bare(provider, entry.api or provider.api, entries, entry.dialect)
    _check_media(entry, bare)
    return replace(
        bare,
        name=entry.name,
        api_id=entry.api_id,
        aliases=entry.aliases,
        base_url=entry.base_url or provider.base_url,
        # A variable that moves the provider must not move a model that has an address of its own.
        base_url_env=entry.base_url_env or (None if entry.base_url else provider.base_url_env),
        key_env=entry.key_env or provider.key_env,
        window=entry.window,
        price=entry.price,
        limits=entry.limits,
    )


def _bare(provider: Provider, api: str, entries: Entries, own: Dialect | None = None) -> Model:
    """A model without name or id that has the settings of its api and provider, and its *own* over them."""
    own = own or Dialect()
    spoken = entries.apis.get(api, Dialect())
    # A provider's renames are its dialect of its own api; they mean nothing in another one.
    provider_rename = provider.dialect.rename if api == provider.api else {}
    return Model(
        name="",
        provider=provider.name,
        api=api,
        api_id="",
        base_url=provider.base_url,
        base_url_env=provider.base_url_env,
        key_env=provider.key_env,
        parameters={**provider.dialect.parameters, **own.parameters},
        required=spoken.required,
        unsupported=spoken.unsupported | provider.dialect.unsupported | own.unsupported,
        rename={**spoken.rename, **provider_rename, **own.rename},
        batch_discount=None if api in WITHOUT_BATCHES else provider.batch_discount,
        inputs=provider.dialect.inputs if own.inputs is None else own.inputs,
        outputs=spoken.outputs,
        media=MediaLimits.of(spoken.media, provider.dialect.media, own.media),
    )


def _check_media(entry: Entry, model: Model) -> None:
    """Raise a DataError where an entry says something about media that the model's API does not take."""
    for kind in entry.dialect.inputs or ():
        if not model.media.takes(kind):
            entry.marks["inputs"].fail(f"the api {model.api} takes no {kind}", "leave it out")
    for kind in entry.dialect.media:
        if not model.media.takes(kind):
            entry.marks["media"].mapping()[kind].fail_key(f"the api {model.api} takes no {kind}", "leave it out")
