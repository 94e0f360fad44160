"""Where a model is asked: its addresses, its key, and what each request carries beside its body."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from proctor._base.errors import UsageError

PLACEHOLDER_KEY = "no-key-needed"  # the SDKs insist on some key; a local server takes any
ACCOUNT = ("ANTHROPIC_AUTH_TOKEN", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
ADDRESS = re.compile(r"https?://[^\s/]\S*")
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""A part of a header or of a query that a variable of the environment gives."""

BETWEEN_ADDRESSES = re.compile(r"\s+|,\s*(?=https?://)")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is asked.

    Args:
        name: What the model is called.
        base_urls: Its address; several where it is served several times.
        base_url_env: Variable whose value, if there is one, replaces *base_urls*: an address, or several with blanks
            or commas between them.
        key_env: Variable that holds the API key, if one is needed.
        headers: Further headers of each request; ``${NAME}`` stands for the value of a variable.
        query: Parameters that each request's address has behind the question mark, likewise.
    """

    name: str
    base_urls: tuple[str, ...] = field(default=(), repr=False)  # may hold a password, and tracebacks show what there is
    base_url_env: str | None = None
    key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)

    @property
    def base_url(self) -> str:
        """The first address of its entry; empty if there is none."""
        return self.base_urls[0] if self.base_urls else ""

    def urls(self, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
        """The addresses: those of the variable :attr:`base_url_env` if it is set, else :attr:`base_urls`.

        Raises:
            UsageError: If the variable does not hold an address.
        """
        configured = tuple(filter(None, BETWEEN_ADDRESSES.split(environ.get(self.base_url_env or "", "").strip())))
        if not (configured or self.base_urls):
            raise UsageError(
                f"{self.base_url_env} is not set, and {self.name} has no other address",
                remedy="such as https://host/path",
            )
        if not all(map(ADDRESS.fullmatch, configured)):
            # The value is not shown: a mixed-up variable may hold a key.
            raise UsageError(f"{self.base_url_env} does not hold an address", remedy="such as https://host/path")
        return tuple(dict.fromkeys(configured or self.base_urls))

    def url(self, environ: Mapping[str, str] = os.environ) -> str:
        """The address, or the first of several; see `urls`."""
        return self.urls(environ)[0]

    def key(self, environ: Mapping[str, str] = os.environ) -> str | None:
        """The API key; a placeholder where none is needed; ``None`` where it is missing.

        None is needed where the provider names no variable and on the loopback interface of this machine.
        """
        key = environ.get(self.key_env or "", "").strip()
        if key:
            return key
        configured = environ.get(self.base_url_env or "", "").strip()
        addresses = BETWEEN_ADDRESSES.split(configured) if configured else self.base_urls
        return PLACEHOLDER_KEY if self.key_env is None or all(map(_is_loopback, addresses)) else None

    def missing_key(self, environ: Mapping[str, str] = os.environ) -> str | None:
        """The variable that must be set before this model can be asked; ``None`` if nothing is missing."""
        return self.key_env if self.key(environ) is None else None

    def sent_headers(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The further headers, with the values of variables in them.

        Raises:
            UsageError: If a variable is not set.
        """
        return self._filled(self.headers, "header", environ)

    def sent_query(self, url: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What stands behind the question mark of each request to an address: its own parameters, and the further ones.

        Args:
            url: The address.
            environ: Variables, which values may name.

        Raises:
            UsageError: If a variable is not set.
        """
        return {
            **dict(parse_qsl(urlsplit(url).query, keep_blank_values=True)),
            **self._filled(self.query, "query", environ),
        }

    def variables(self) -> Iterator[str]:
        """The variables whose values are secrets: that of the key, and those of headers and query."""
        if self.key_env:
            yield self.key_env
        for value in (*self.headers.values(), *self.query.values()):
            yield from VARIABLE.findall(value)

    def _filled(self, configured: Mapping[str, str], what: str, environ: Mapping[str, str]) -> dict[str, str]:
        filled = {}
        for name, value in configured.items():
            for variable in VARIABLE.findall(value):
                if not environ.get(variable, "").strip():
                    raise UsageError(
                        f"{variable} is not set, and {self.name} is sent it ({what} {name})",
                        remedy=f"Set the environment variable {variable}.",
                    )
            filled[name] = VARIABLE.sub(lambda found: environ[found[1]].strip(), value)
        return filled


def without_query(url: str) -> str:
    """An address without what stands behind the question mark, to which a path can be added."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")) if parts.query else url


def keys_in_environment(endpoints: Iterable[Endpoint], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The API keys that are set, and what else is sent that says whose requests they are, by variable.

    Args:
        endpoints: Whose keys are looked for.
        environ: Variables and their values.
    """
    variables = sorted({*ACCOUNT, *(variable for endpoint in endpoints for variable in endpoint.variables())})
    return {name: environ[name] for name in variables if environ.get(name)}


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
