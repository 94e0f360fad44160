"""Secrets in what a server sends, in every form in which a reader would recognise them.

A server may echo what a request held: the key, the organisation, the project. JSON may escape any letter of it, an
address may, a text may hold it in base64, and an answer in several parts may hold a piece of it in each.
"""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from proctor._base.http import as_a_key, is_placeholder

REMOVED = "[removed]"
SEVERAL_TEXTS = 2
NEEDLE_BYTES = 8  # a shorter piece of base64 may be part of any picture


def _word(start: bytes, rest: bytes) -> tuple[bytes, bytes]:
    """A shape that is not inside a longer word, though it may follow the n of an escaped line break."""
    return start, rb"(?:(?<![A-Za-z0-9_+/=-]%b)|(?<=\\[nrt]%b))" % (start, start) + rest


SHAPES: Sequence[tuple[str, bytes, bytes]] = (
    (
        "an API key",
        *_word(rb"sk-", rb"(?:(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{32})[A-Za-z0-9_-]*"),
    ),
    ("an API key", *_word(rb"AIza", rb"[A-Za-z0-9_-]{35}")),
    ("an API key", *_word(rb"hf_", rb"[A-Za-z0-9]{30,}")),
    ("an API key", *_word(rb"gsk_", rb"[A-Za-z0-9]{40,}")),
    ("an API key", *_word(rb"xai-", rb"[A-Za-z0-9]{40,}")),
    # At least one digit: "bearer authentication/authorization" is prose.
    ("a bearer token", rb"earer ", rb"(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,}=*"),
    ("a cookie header", rb"ookie: ", rb"[A-Za-z0-9_.-]+=[^\s;\"\\]{8,}"),
)
"""What it is, the literal it begins with, and the pattern of the rest.

They are few and precise, since a model may write about keys.
"""

_SHAPES = [(kind, start, re.compile(re.escape(start) + rest)) for kind, start, rest in SHAPES]
_UNICODE = re.compile(rb"\\+u00([2-7][0-9A-Fa-f])")
_PERCENT = re.compile(rb"%([2-7][0-9A-Fa-f])")
_SLASH = re.compile(rb"\\+/")


class Secrets:
    """Strings that no recording may hold, whatever form they take.

    Args:
        values: The secrets, by what they are called in messages, such as the variable that holds them.
        shortest: The length below which one is left out: any text may hold it.

    One that may be a word of any text is removed only where it stands as a key; see `proctor._base.http.as_a_key`.
    """

    def __init__(self, values: Mapping[str, str], *, shortest: int) -> None:
        known = {n: value for n, value in values.items() if len(value) >= shortest and not is_placeholder(value)}
        self._short = [as_a_key(value) for value in values.values() if is_placeholder(value)]
        self._needles = [(name, needle) for name, value in known.items() for needle in _needles(value)]
        letters = [_in_any_form(needle) for _, needle in self._needles]
        self._any_form = re.compile("|".join(letters)) if letters else None

    def found(self, content: bytes) -> Iterator[tuple[int, str]]:
        """Each secret in *content*: before which line break, counted from 0, and what kind it is; known ones first."""
        plain = _unescaped(content) if self._needles else content
        for text in (content,) if plain is content else (content, plain):
            for name, needle in self._needles:
                start_at = text.find(needle)
                while start_at >= 0:
                    yield text.count(b"\n", 0, start_at), f"the value of {name}"
                    start_at = text.find(needle, start_at + 1)
        for kind, start, pattern in _SHAPES:
            if start in content:  # ten times as fast as the pattern, and rarely true
                for match in pattern.finditer(content):
                    yield content.count(b"\n", 0, match.start()), kind

    def split_over(self, answer: bytes) -> bool:
        """Whether the texts of a JSON object hold a secret together, of which each has a piece."""
        return any(True for _ in self._split(answer))

    def removed_from(self, content: bytes) -> bytes:
        """*content* with `REMOVED` in the place of every secret."""
        removed = REMOVED.encode()
        for _, start, pattern in _SHAPES:
            if start in content:
                content = pattern.sub(removed, content)
        for pattern_of_key in self._short:
            text = content.decode("latin-1")
            content = pattern_of_key.sub(rf"\1{REMOVED}", text).encode("latin-1")
        if self._any_form is None:
            return content
        plain = _unescaped(content)
        if any(needle in content or needle in plain for _, needle in self._needles):
            # As Latin-1, in which every byte is a letter.
            content = self._any_form.sub(REMOVED, content.decode("latin-1")).encode("latin-1")
        for body, leaves, spans in self._split(content):
            _cut(leaves, spans)
            content = _encoded(body)
        return content

    def removed_from_text(self, text: str) -> str:
        """As `removed_from`, for a text."""
        clean = self.removed_from(text.encode("utf-8", "surrogateescape"))
        return clean.decode("utf-8", "surrogateescape")

    def _split(self, answer: bytes) -> Iterator[tuple[Any, list[_Leaf], list[tuple[int, int]]]]:
        """The JSON object, the texts in it that belong together, and where in them, joined, secrets stand."""
        if self._any_form is None or answer.count(b'"text"') < SEVERAL_TEXTS:
            return
        try:
            body = json.loads(answer.decode("utf-8", "surrogateescape"))
            groups = _texts(body)
        except (ValueError, RecursionError):
            return
        for leaves in groups:
            joined = "".join(leaf.text for leaf in leaves)
            plain = _unescaped(joined.encode("utf-8", "surrogatepass"))
            if any(needle in plain for _, needle in self._needles):
                yield body, leaves, [found.span() for found in self._any_form.finditer(joined)]


class _Leaf:
    """One text of a JSON value, and how to put another one in its place."""

    def __init__(self, text: str, put: Callable[[str], None]) -> None:
        self.text = text
        self.put = put


def _texts(value: Any) -> Iterable[list[_Leaf]]:
    """The texts in a JSON value, those under one name together, in their order."""
    groups: defaultdict[str, list[_Leaf]] = defaultdict(list)

    def walk(holder: Any) -> None:
        for name, item in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(item, str) and isinstance(name, str):

                def put(text: str, holder: dict[str, Any] = holder, name: str = name) -> None:
                    holder[name] = text

                groups[name].append(_Leaf(item, put))
            elif isinstance(item, (dict, list)):
                walk(item)

    if isinstance(value, (dict, list)):
        walk(value)
    return [leaves for leaves in groups.values() if len(leaves) >= SEVERAL_TEXTS]


def _cut(leaves: Sequence[_Leaf], spans: Sequence[tuple[int, int]]) -> None:
    """Take these spans of the joined texts out of the texts; `REMOVED` stands where each begins."""
    end = 0
    for leaf in leaves:
        start, end = end, end + len(leaf.text)
        text = leaf.text
        for first, after in reversed(spans):
            if first < end and after > start:
                mark = REMOVED if first >= start else ""
                text = text[: max(0, first - start)] + mark + text[max(0, after - start) :]
        leaf.put(text)


def _encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":")).encode()


def _needles(value: str) -> Iterator[bytes]:
    """A secret as it stands, and what of its base64 does not depend on what stands before and after it."""
    secret = value.encode()
    found = {secret: None}
    for before in range(3):
        whole = base64.b64encode(bytes(before) + secret)
        first = (before * 8 + 5) // 6  # of the letters that hold nothing but bits of the secret
        core = whole[first : (before + len(secret)) * 8 // 6]
        if len(core) >= NEEDLE_BYTES:
            found |= {core: None, core.translate(bytes.maketrans(b"+/", b"-_")): None}
    yield from found


def _in_any_form(needle: bytes) -> str:
    """A pattern for a needle, each letter of which may stand as it is, as JSON or as an address would escape it."""
    letters = []
    for byte in needle:
        forms = [re.escape(chr(byte)), rf"\\+u00(?i:{byte:02x})", f"%(?i:{byte:02x})"]
        if byte == ord("/"):
            forms.append(r"\\+/")
        letters.append(f"(?:{'|'.join(forms)})")
    return "".join(letters)


def _unescaped(content: bytes) -> bytes:
    """*content* with what JSON or an address have escaped of ASCII as it was before; the same object if nothing is."""
    if b"u00" in content:
        content = _UNICODE.sub(_letter, content)
    if b"\\/" in content:
        content = _SLASH.sub(b"/", content)
    return _PERCENT.sub(_letter, content) if b"%" in content else content


def _letter(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())
