"""Parquet files, as data sets of the hub are published: their rows as JSON objects."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from proctor._base.errors import DataError

LIBRARY = "pyarrow"
INSTALL = "Install it: pip install -e '.[parquet]'"
ROWS_AT_A_TIME = 64  # a row may hold pictures of megabytes


def read_parquet(file: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The rows of a Parquet file, each as JSON and as an object.

    Bytes, as of pictures, are base64 text in the object, and their hash in the JSON, which is what a row is known
    by, and what is kept of it.

    Raises:
        DataError: If pyarrow is not installed, or the file is not there, no Parquet, or without a row.
    """
    if not file.is_file():
        raise DataError("no such data file", file=file, remedy="Check the path, or --dataset BENCH/TASK=PATH.")
    if find_spec(LIBRARY) is None:
        raise DataError(f"{LIBRARY}, which reads Parquet, is not installed", file=file, remedy=INSTALL)
    import pyarrow  # imported here: it takes a fifth of a second, and JSONL needs none
    from pyarrow import parquet

    number = 0
    try:
        with parquet.ParquetFile(file) as opened:
            for batch in opened.iter_batches(batch_size=ROWS_AT_A_TIME):
                for row in batch.to_pylist():
                    number += 1
                    text = json.dumps(row, ensure_ascii=False, default=_known_by)
                    yield text.encode("utf-8", "surrogatepass"), json.loads(json.dumps(row, default=_as_text))
    except (pyarrow.ArrowException, OSError) as problem:
        raise DataError(f"no usable Parquet: {str(problem).splitlines()[0]}", file=file, line=number) from None
    if not number:
        raise DataError("the data file is empty", file=file, remedy="It needs a row.")


def _known_by(value: Any) -> str:
    """The hash of bytes; else as `_as_text`."""
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)


def _as_text(value: Any) -> str:
    """What JSON holds of a value that it has no kind for: of bytes their base64, of a date or a decimal its text."""
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
