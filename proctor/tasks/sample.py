"""A sample: one question to a model, made from a row of data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor._base.errors import DataError
from proctor._base.json_values import sha256_of

ToldBy = Literal["", "content", "number"]
ROW_ID = "idx"
"""A tag that names a single row: ``-k`` finds the row by it, and no report groups by it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One question to a model.

    Args:
        id: Unique within the task and stable under reordering of the file.
        fields: What the prompt and the scorer use.
        target: The gold answer, as it goes into result rows.
        cluster: What samples share that share context; they are not independent. Default: the sample alone.
        metrics: Names of the task's metrics that this sample is measured by; empty for all of them.
        tags: Metadata by which a report groups and ``-k`` selects, such as ``{"domain": "cooking"}``.
        index: Position among the task's samples in the order of the file, from 0; set by `read_samples`.
        row_hash: The hash of the data row; set by `read_samples`.
        id_may_repeat: Whether the data set is known to give one id to several rows, which are then told apart; else
            they are told apart too, and noted as odd.
        told_by: What tells the sample apart from others of the same published id: nothing, the content of the row, or
            a number where all of the row is the same; set by `read_samples`.
        error: Why it can neither be asked nor graded, if that is so: its case has the status ``error``. See
            `proctor.tasks.row.Row.unusable`.
    """

    id: str
    fields: Mapping[str, Any]
    target: Any
    cluster: str = ""
    metrics: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    index: int = 0
    row_hash: RowHash | None = field(default=None, repr=False, compare=False)
    id_may_repeat: bool = False
    told_by: ToldBy = ""
    error: DataError | None = field(default=None, compare=False)

    @property
    def row_sha256(self) -> str:
        """Hash of the data row; empty without one."""
        return "" if self.row_hash is None else self.row_hash.value


class RowHash:
    """The hash of a row's content, made when it is first wanted: of a large file that takes as long as to read it.

    Args:
        content: The row's JSON object; or its text in the file, which takes a tenth of the memory.
    """

    __slots__ = ("_content", "_value")

    def __init__(self, content: bytes | Mapping[str, Any]) -> None:
        self._content = content
        self._value = ""

    @property
    def value(self) -> str:
        """SHA-256 (hex) of the row's canonical JSON; of its text, where that is no JSON."""
        if not self._value:
            content = self._content
            try:
                self._value = sha256_of(json.loads(content) if isinstance(content, bytes) else content)
            except (ValueError, RecursionError):
                text = content if isinstance(content, bytes) else repr(content).encode("utf-8", "surrogatepass")
                self._value = hashlib.sha256(text).hexdigest()
            self._content = b""
        return self._value


def case_name(sample: str, epoch: int) -> str:
    """How a sample's case is called: by the sample, and from the second epoch on by the epoch too."""
    return sample if epoch == 1 else f"{sample}-epoch{epoch}"
