"""The model registry: what a model is called, where it answers, how it is asked and what it costs.

Importing this module imports no provider's SDK, and no YAML parser before a registry is loaded.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor._base.errors import UsageError
from proctor._base.json_values import Json
from proctor._base.marked_yaml import nearest
from proctor.media.limits import MediaLimits
from proctor.media.medium import Kind, Media
from proctor.models.efforts import Effort
from proctor.models.endpoint import Endpoint
from proctor.models.lifecycle import Lifecycle
from proctor.models.parameters import accepted, check_parameters
from proctor.models.registry_file import (
    NO_LIBRARY,
    RESERVED_NAMES,
    WITHOUT_BATCHES,
    Dialect,
    Entries,
    Entry,
    Family,
    Location,
    Price,
    Provider,
    RateLimits,
    check_names,
    merged,
    read,
)
from proctor.tasks.call import Call, Message, Usage

__all__ = ["RESERVED_NAMES", "Model", "Price", "RateLimits", "Registry"]

MILLION = 1_000_000
OPENROUTER = "openrouter"
LONGEST_FILE_NAME = 150  # leaves room for a suffix below the 255 bytes of common file systems


@dataclass(frozen=True, kw_only=True)
class Model(Endpoint):
    """A model as it can be asked.

    Its *name* is the canonical one: that of the registry, or ``provider/api-id``.

    Args:
        provider: Name of the provider.
        api: What the endpoint speaks, of `proctor.models.registry_file.APIS`.
        api_id: What the provider calls it.
        aliases: Its other names.
        parameters: Sent with every call.
        required: Sent where nothing else gives a value, because the API insists on one.
        unsupported: Parameters the model refuses.
        effort: What it knows of levels of effort.
        rename: Neutral parameter name to its name on the wire.
        window: Tokens of context, if known.
        price: What tokens cost, if known.
        batch_discount: Share of the price that the provider's batch API saves, if it has one.
        limits: Requests and tokens per minute, if known.
        inputs: The kinds of media that it takes beside text; ``None`` if that is not known.
        outputs: The kinds of media that it makes instead of texts.
        media: How media are shown to it.
        lifecycle: When it is shut down.
        unverified: What is said here of it without a confirmation, in words.
        prices: What the library of prices calls its provider.
        described: Whether the registry that ships, or a family, says what it refuses.
        own_price: Whether its price is that of a user's own file.
        entry: Where its entry stands, if it has one.
        provider_entry: Where that of its provider stands.
    """

    provider: str
    api: str
    api_id: str
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Json] = field(default_factory=dict, hash=False)
    required: Mapping[str, Json] = field(default_factory=dict, hash=False)
    unsupported: frozenset[str] = frozenset()
    effort: Effort = field(default_factory=Effort, hash=False)
    rename: Mapping[str, str] = field(default_factory=dict, hash=False)
    window: int | None = None
    price: Price | None = None
    batch_discount: float | None = None
    limits: RateLimits = field(default_factory=RateLimits)
    inputs: frozenset[Kind] | None = None
    outputs: frozenset[Kind] = frozenset()
    media: MediaLimits = field(default_factory=MediaLimits)
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    unverified: str | None = None
    prices: str | None = None
    described: bool = False
    own_price: bool = False
    entry: Location | None = field(default=None, compare=False)
    provider_entry: Location | None = field(default=None, compare=False)

    @property
    def has_entry(self) -> bool:
        """Whether it has one in a models.yaml."""
        return self.name != f"{self.provider}/{self.api_id}"

    def shown(self, medium: Media) -> Mapping[str, Json]:
        """The part of a message that shows this model a medium; see `proctor.tasks.call.Message`."""
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
        wanted = {**self.required, **defaults, **self.parameters, **overrides}
        check_parameters(self, wanted, overrides)
        parameters = accepted(self, wanted)
        return Call(model=self.api_id, messages=tuple(messages), parameters=parameters, media=media or {})

    def cost(self, usage: Usage, *, batch: bool = False) -> float | None:
        """What an answer cost by models.yaml, in dollars; what it costs on the day of a call says `cost_at`.

        Args:
            usage: Its tokens. Input includes cached input, and output includes reasoning. Cached input counts at full
                price where the discount is unknown, so that the cost is never understated.
            batch: Whether it came out of a batch.

        Returns:
            Dollars, or ``None`` where the price or a token count is unknown.
        """
        if (stated := self.stated_cost(usage)) is not None:
            return stated
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

    def stated_cost(self, usage: Usage) -> float | None:
        """What the provider itself says that an answer cost; OpenRouter alone does so in dollars."""
        return usage.cost_usd if self.prices == OPENROUTER else None

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
        families: Sequence[Family] = (),
        roles: Mapping[tuple[str, str], str] | None = None,
        media: Mapping[str, MediaLimits] | None = None,
    ) -> None:
        self.models = tuple(models)
        self.media = media or {}  # by api: how media are shown, unless a provider or a model says otherwise
        self.roles = roles or {}  # by task and role: who plays it, unless the run says otherwise
        self.families = tuple(families)
        self._providers = providers  # by folded name: a model without name or id that has the provider's settings
        self._by_name: dict[str, Model] = {}
        self._by_id: dict[str, Model] = {}
        # The first of several models with one API id is found by it, and a user's own before a built-in one.
        for model in sorted(models, key=lambda model: not _is_own(model.entry)):
            self._by_id.setdefault(model.api_id.casefold(), model)
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
        read(built_in, entries, built_in=True)
        for file in files:
            if not (file.exists() and file.samefile(built_in)):
                read(file, entries)
        check_names(entries)
        models = [_model(entry, entries) for entry in entries.models.values()]
        providers = {
            name.casefold(): _bare(provider, provider.api, entries) for name, provider in entries.providers.items()
        }
        roles = {role: mark.text() for role, mark in entries.roles.items()}
        media = {api: MediaLimits.of(said.media) for api, said in entries.apis.items()}
        registry = cls(models, providers, tuple(entries.families.values()), roles, media)
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
                every model of a known provider, registered or not. Names and aliases go first, then a user's own
                providers, then API ids, a user's own entries' before the built-in ones'.

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
        own = bare is not None and _is_own(bare.provider_entry) and bool(rest)
        found = self._by_id.get(name.casefold())
        if found is not None and not own:
            return found
        if not slash or bare is None or not rest or any(c.isspace() or not c.isprintable() for c in rest):
            raise self._unknown(name)
        found = self._by_name.get(rest.casefold()) or self._by_id.get(rest.casefold())
        if found is not None and found.provider == bare.provider:
            return found
        for model in self.models:
            if model.provider == bare.provider and model.api_id.casefold() == rest.casefold():
                return model
        return self._of_family(replace(bare, name=f"{bare.provider}/{rest}", api_id=rest))

    def _of_family(self, model: Model) -> Model:
        """A model that has no entry, with what its families say."""
        families = [family.dialect for family in self.families if family.has(model.api_id, model.api)]
        said = merged(families)
        return replace(
            model,
            parameters={**model.parameters, **said.parameters},
            unsupported=model.unsupported | said.unsupported,
            rename={**model.rename, **said.rename},
            inputs=model.inputs if said.inputs is None else said.inputs,
            effort=said.effort.over(model.effort),
            described=bool(families),
        )

    def _unknown(self, name: str) -> UsageError:
        shown = {other: model.name for other, model in (self._by_id | self._by_name).items()}
        near = difflib.get_close_matches(name.casefold(), list(shown), n=5, cutoff=0.6)
        names = list(dict.fromkeys(shown[match] for match in near))[:3]
        providers = ", ".join(model.provider for model in self._providers.values())
        return UsageError(
            f"unknown model {name!r}" + (f"; did you mean {' or '.join(names)}?" if names else ""),
            remedy=f"write provider/api-id (providers: {providers}), or add it to models.yaml",
        )


def _is_own(location: Location | None) -> bool:
    return location is not None and not location.built_in


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _built_in() -> Path:
    """The packaged registry: inside the package once that is built, at the root in a checkout."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "models.yaml"
    return packaged if packaged.exists() else package.parent / "models.yaml"


def _model(entry: Entry, entries: Entries) -> Model:
    mark = entry.marks["provider"]
    provider = entries.providers.get(entry.provider)
    if provider is None:
        known = entries.providers
        mark.fail("unknown provider", nearest(entry.provider, known) or f"known providers: {', '.join(known)}")
    api = entry.api or provider.api
    families = [family.dialect for family in entries.families.values() if family.has(entry.api_id, api)]
    bare = _bare(provider, api, entries, merged((*families, entry.dialect)))
    _check_media(entry, bare)
    return replace(
        bare,
        name=entry.name,
        api_id=entry.api_id,
        aliases=entry.aliases,
        base_urls=entry.base_urls or provider.base_urls,
        # A variable that moves the provider must not move a model that has an address of its own.
        base_url_env=entry.base_url_env or (None if entry.base_urls else provider.base_url_env),
        key_env=entry.key_env or provider.key_env,
        headers={**provider.headers, **entry.headers},
        query={**provider.query, **entry.query},
        entry=entry.location,
        window=entry.window,
        price=entry.price,
        limits=entry.limits,
        lifecycle=entry.lifecycle,
        unverified=entry.unverified,
        prices=(entry.prices if entry.prices != NO_LIBRARY else None) if entry.prices else provider.prices,
        described=entry.location.built_in or bool(families),
        own_price=entry.price is not None and not entry.location.built_in,
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
        base_urls=provider.base_urls,
        base_url_env=provider.base_url_env,
        key_env=provider.key_env,
        headers=provider.headers,
        query=provider.query,
        provider_entry=provider.location,
        parameters={**provider.dialect.parameters, **own.parameters},
        required=spoken.required,
        unsupported=spoken.unsupported | provider.dialect.unsupported | own.unsupported,
        rename={**spoken.rename, **provider_rename, **own.rename},
        batch_discount=None if api in WITHOUT_BATCHES else provider.batch_discount,
        inputs=provider.dialect.inputs if own.inputs is None else own.inputs,
        outputs=spoken.outputs,
        effort=own.effort.over(provider.dialect.effort).over(spoken.effort),
        prices=provider.prices,
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
