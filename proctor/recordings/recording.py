"""One recording: a call, the HTTP interaction that answered it, and its line in a cassette.

Nearly every interaction is a POST that was answered with 200, OK and a JSON object. Its line holds the address and that
object, byte for byte as it came but for the blanks between values::

    {"sample":…,"epoch":…,"role":…,"turn":…,"key":…,"origin":{…},"recorded_at":…,"latency_s":…,"uri":…,"body":{…},"check":…}

The first turn of a role, 0, has no ``turn``; a line may have it all the same, as all lines had once.

Any other interaction, and one whose prompt is kept, stands in the line as vcrpy writes it, under ``request`` and
``response``. `Recording.parse` gives the interaction as vcrpy writes it for both.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, NoReturn

from proctor._base.json_values import Json, sha256_of
from proctor.tasks.call import Call

CHECK = re.compile(rb',"check":"([0-9a-f]{8})"\}$')
BODY = b',"body":{'
FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("sample", "role", "key", "recorded_at"), str),
    **dict.fromkeys(("epoch", "turn"), int),
    "origin": dict,
    "latency_s": (int, float, type(None)),
}
FIRST = {"turn": 0}
"""What a line leaves out."""
ORIGIN_HASH = 8  # hex digits of a hash in a recording's origin
MOST_SECONDS = 1e9
"""No answer takes longer. NaN and the infinities, which JSON's readers and writers let pass, are no latencies."""
MOST_DOLLARS = 1e9
STATUS = {"code": 200, "message": "OK"}
JSON_TYPE = re.compile(r"application/json(; *charset=utf-8)?", re.IGNORECASE)
NO_BLANKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^" \t\r\n]++')
"""What stands between the blanks of a JSON text; blanks in its strings are part of these."""


class CallId(NamedTuple):
    """Names a call: which sample's conversation, in which epoch, in what role, and its number there, from 0."""

    sample: str
    epoch: int
    role: str
    turn: int


@dataclass(frozen=True, slots=True)
class Origin:
    """What a call was made from, so that a miss can say what changed since the recording.

    Args:
        model: API id of the model.
        parameters: Sampling parameters.
        template: Hash of the prompt template.
        row: Hash of the data row.
        system: Hash of the system prompt, if there is one.
    """

    model: str
    parameters: Mapping[str, Json]
    template: str
    row: str
    system: str = ""

    @classmethod
    def of(cls, call: Call, *, template: str, row: str) -> Origin:
        """The origin of *call*, made from a template and a row with these hashes.

        The hashes are cut short, since every recording holds them: they explain a miss, and decide nothing.
        """
        first = call.messages[0]
        system = sha256_of(first["content"])[:ORIGIN_HASH] if first["role"] == "system" else ""
        return cls(call.model, call.parameters, template[:ORIGIN_HASH], row[:ORIGIN_HASH], system)

    @property
    def fields(self) -> dict[str, Any]:
        """As a recording holds it."""
        return {name: value for name, value in asdict(self).items() if name != "system" or value}

    def changes(self, recorded: Mapping[str, Any]) -> list[str]:
        """What differs from a recording's origin, in words."""
        changed = []
        if recorded.get("model") != self.model:
            changed.append(f"model (recorded {recorded.get('model')}, now {self.model})")
        then, now = recorded.get("parameters", {}), self.parameters
        changed += [
            f"parameter {name} (recorded {then.get(name, 'unset')}, now {now.get(name, 'unset')})"
            for name in sorted({*then, *now})
            if then.get(name) != now.get(name)
        ]
        for name, what in (("template", "prompt template"), ("row", "data row"), ("system", "system prompt")):
            if str(recorded.get(name, ""))[:ORIGIN_HASH] != getattr(self, name):
                changed.append(what)
        return changed or ["the prompt that the task's code makes of the same template, data row and earlier replies"]


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded interaction.

    Args:
        call_id: Names the call.
        key: The call's key.
        origin: What the call was made from.
        recorded_at: ISO 8601, UTC.
        latency_s: Seconds from sending the successful request to its whole answer; ``None`` if nobody took the time.
        attempts: Requests it took.
        interaction: ``{"request": …, "response": …}`` as vcrpy writes it.
        batch: Whether the answer came out of a batch: at another price, and after a time that says nothing.
        cost_usd: What the answer cost on that day; ``None`` if nobody knew, and in recordings of before 2026-11-22.
    """

    call_id: CallId
    key: str
    origin: Mapping[str, Any]
    recorded_at: str
    latency_s: float | None
    attempts: int
    interaction: Mapping[str, Any]
    batch: bool = False
    cost_usd: float | None = None

    @property
    def body(self) -> bytes:
        """The recorded answer's body."""
        text: str = self.interaction["response"]["body"]["string"]
        return text.encode("utf-8", "surrogateescape")

    @property
    def fields(self) -> dict[str, Any]:
        """All but the interaction, as a line holds it; `of` takes it back."""
        return {
            **{name: value for name, value in self.call_id._asdict().items() if name != "turn" or value},
            "key": self.key,
            "origin": self.origin,
            "recorded_at": self.recorded_at,
            "latency_s": self.latency_s,
            **({"attempts": self.attempts} if self.attempts > 1 else {}),
            **({"batch": True} if self.batch else {}),
            **({} if self.cost_usd is None else {"cost_usd": self.cost_usd}),
        }

    def line(self) -> bytes:
        """The recording as one line of a cassette, with checksum and newline."""
        fields = self.fields
        body = _usual_body(self.interaction)
        if body is None:
            text = _encoded({**fields, **self.interaction})[:-1]
        else:
            head = _encoded(fields | {"uri": self.interaction["request"]["uri"]})[:-1]
            text = head + b',"body":' + body.encode()
        return text + b',"check":"%08x"}\n' % zlib.crc32(text)

    @classmethod
    def parse(cls, line: bytes) -> Recording:
        """Read a line.

        Raises:
            ValueError: If the line is not a whole, unedited recording; the message says which.
        """
        check = CHECK.search(line)
        if check is None and line.endswith(b"\r"):
            raise ValueError("the line ends in CR LF: git or an editor has changed the line endings")
        if check is None:
            raise ValueError("the line is cut: it does not end in a checksum")
        text = line[: check.start()]
        if int(check[1], 16) != zlib.crc32(text):
            raise ValueError("the line was edited: its checksum does not fit")
        fields, body = _split(text)
        return cls.of(fields, _interaction(fields, body))

    @classmethod
    def of(cls, fields: Mapping[str, Any], interaction: Mapping[str, Any]) -> Recording:
        """The recording with these fields.

        Raises:
            ValueError: If one is missing or wrong.
        """
        fields = {**FIRST, **fields}
        for name, kind in FIELD_TYPES.items():
            if name not in fields or not isinstance(fields[name], kind):
                raise ValueError(f"the recording's field {name!r} is missing or of a wrong type")
        for name, right in (
            ("latency_s", fields["latency_s"] is None or 0 <= fields["latency_s"] < MOST_SECONDS),
            ("attempts", isinstance(fields.get("attempts", 1), int)),
            ("cost_usd", "cost_usd" not in fields or _is_cost(fields["cost_usd"])),
            ("origin", isinstance(fields["origin"].get("parameters", {}), dict)),
        ):
            if not right:
                raise ValueError(f"the recording's field {name!r} has a wrong value")
        return cls(
            CallId(fields["sample"], fields["epoch"], fields["role"], fields["turn"]),
            fields["key"],
            fields["origin"],
            fields["recorded_at"],
            fields["latency_s"],
            fields.get("attempts", 1),
            interaction,
            fields.get("batch") is True,
            fields.get("cost_usd"),
        )


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST_DOLLARS


def _encoded(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape")


def _split(text: bytes) -> tuple[Mapping[str, Any], bytes | None]:
    """The fields of a line without its checksum, and the bytes of the body where it stands there as an object.

    The body is the last field, so that it can be cut out as it is. Where it begins is the first place after which
    nothing is open: the name may also be that of a parameter in ``origin``.
    """
    start = text.find(BODY)
    while start >= 0:
        try:
            return _fields(text[:start] + b"}"), text[start + len(BODY) - 1 :]
        except ValueError:
            start = text.find(BODY, start + 1)
    return _fields(text + b"}"), None


def _fields(text: bytes) -> Mapping[str, Any]:
    fields = json.loads(text.decode("utf-8", "surrogateescape"))
    if not isinstance(fields, dict):
        raise ValueError("the line is not a recording")  # noqa: TRY004  # one kind of error for one kind of line
    return fields


def _interaction(fields: Mapping[str, Any], body: bytes | None) -> Mapping[str, Any]:
    """The interaction as vcrpy writes it."""
    if body is None:
        for name in ("request", "response"):
            if not isinstance(fields.get(name), dict):
                raise ValueError(f"the recording's field {name!r} is missing or of a wrong type")  # noqa: TRY004
        return {"request": fields["request"], "response": fields["response"]}
    if not isinstance(fields.get("uri"), str):
        raise ValueError("the recording's field 'uri' is missing or of a wrong type")  # noqa: TRY004
    return {
        "request": {"method": "POST", "uri": fields["uri"], "body": None, "headers": {}},
        "response": {
            "status": dict(STATUS),
            "headers": {"content-type": ["application/json"]},
            "body": {"string": body.decode("utf-8", "surrogateescape")},
        },
    }


def _usual_body(interaction: Mapping[str, Any]) -> str | None:
    """The body of a usual interaction's answer; ``None`` if the interaction has to be written whole."""
    request, response = interaction["request"], interaction["response"]
    types = response["headers"].get("content-type", ())
    usual = (
        (request["method"], request["body"], request["headers"]) == ("POST", None, {})
        and response["status"] == STATUS
        and len(response["headers"]) == len(types) == 1
        and JSON_TYPE.fullmatch(types[0])
    )
    body: str = response["body"]["string"]
    return body if usual and body.startswith("{") and _is_json(body) and body == _without_blanks(body) else None


def compact(text: str) -> str:
    """A JSON text without the blanks between its values, which can be a third of a short answer; others as they are."""
    return _without_blanks(text) if _is_json(text) else text


def _is_json(text: str) -> bool:
    try:
        text.encode()  # what came as bytes that are no UTF-8 cannot be part of a JSON line
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _without_blanks(text: str) -> str:
    return "".join(NO_BLANKS.findall(text))
