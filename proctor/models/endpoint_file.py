"""What a models.yaml says of an endpoint: its addresses, and what each request carries beside its body."""

from __future__ import annotations

import re

from proctor._base.marked_yaml import Marked
from proctor.models.endpoint import ADDRESS, VARIABLE

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
OF_THE_CLIENT = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})
SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "api-key", "x-api-key", "cookie"})


def read_addresses(mark: Marked) -> tuple[str, ...]:
    """One address, or a list of them."""
    if not isinstance(mark.value, list):
        return (_address(mark),)
    marks = mark.items()
    if not marks:
        mark.fail_key("no address", "write it as https://host/path")
    return tuple(dict.fromkeys(map(_address, marks)))


def _address(mark: Marked) -> str:
    url = mark.text()
    if not ADDRESS.fullmatch(url):
        mark.fail_key("not an address", "write it as https://host/path")  # unshown: it may hold a password
    return url


def read_headers(mark: Marked) -> dict[str, str]:
    """Headers by name; a secret is named by the variable that holds it."""
    for name, value in mark.mapping().items():
        if not HEADER_NAME.fullmatch(name) or name.casefold() in OF_THE_CLIENT:
            value.fail_key("not a header that can be set", "leave it out")
        text = value.text()
        if not (text.isascii() and text.isprintable()):
            value.fail_key("a header holds ASCII letters only", "leave the others out")
        if name.casefold() in SECRET_HEADERS and not VARIABLE.search(text):
            # The message must not repeat what may be the key itself.
            value.fail_key("a secret in a file", "name the environment variable that holds it, as ${MY_KEY}")
    return {name: value.text() for name, value in mark.mapping().items()}


def read_query(mark: Marked) -> dict[str, str]:
    """What stands behind the question mark, by name."""
    return {name: value.text() for name, value in mark.mapping().items()}
