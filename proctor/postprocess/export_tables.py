"""``proctor export --format csv|parquet``: a run as tables, which spreadsheets, R and data bases read."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor._base.errors import UsageError
from proctor._base.files import replacing
from proctor._base.parquet import INSTALL, LIBRARY
from proctor.postprocess.exported_case import in_utf8
from proctor.postprocess.read_runs import TABLES, ReadRun, TableName
from proctor.results.saved_run import SavedRun

if TYPE_CHECKING:
    from typing import BinaryIO

Row = Mapping[str, Any]
Write = Callable[["BinaryIO", Sequence[str], Sequence[Row]], None]
ROWS_AT_A_TIME = 1000
COUNTS = frozenset({"sample_index", "epoch", "n", "clusters", "selected", "not_measured", "attempts"})
TOKENS = frozenset({"input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"})


def export_tables(run: SavedRun, folder: Path, file_format: str, *, wide: bool) -> list[tuple[Path, int]]:
    """Write the scores of a run, and its cases: ``scores``, and ``metrics`` or ``cases``.

    Args:
        run: The run.
        folder: Where to write.
        file_format: ``csv`` or ``parquet``.
        wide: Whether to write one case a row instead of one metric of a case.

    Returns:
        The files, each with the number of its rows.

    Raises:
        OSError: If a file cannot be written.
        UsageError: If pyarrow is needed, and not installed.
        DataError: If a row cannot be read.
    """
    if file_format == "parquet" and find_spec(LIBRARY) is None:
        raise UsageError(f"{LIBRARY}, which writes Parquet, is not installed", remedy=INSTALL)
    written = []
    names: tuple[TableName, ...] = ("cases" if wide else "metrics", "scores")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        rows = list(ReadRun(run).table(name))
        columns = list(dict.fromkeys([*TABLES[name][1], *(column for row in rows for column in row)]))
        file = folder / f"{name}.{file_format}"
        with replacing(file) as handle:
            WRITERS[file_format](handle, columns, rows)
        written.append((file, len(rows)))
    return written


def _write_csv(handle: BinaryIO, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """CSV as of RFC 4180, in UTF-8; an empty cell stands for what there is not."""
    text = io.TextIOWrapper(handle, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    text.flush()
    text.detach()


def _write_parquet(handle: BinaryIO, columns: Sequence[str], rows: Sequence[Row]) -> None:
    import pyarrow  # imported here: it takes a fifth of a second
    from pyarrow import parquet

    schema = pyarrow.schema([(column, _type_of(column, rows, pyarrow)) for column in columns])
    with parquet.ParquetWriter(handle, schema, compression="zstd") as writer:
        for start in range(0, len(rows), ROWS_AT_A_TIME):
            part = [
                {name: in_utf8(value) for name, value in row.items()} for row in rows[start : start + ROWS_AT_A_TIME]
            ]
            writer.write_table(pyarrow.Table.from_pylist(part, schema=schema))


def _type_of(column: str, rows: Iterable[Row], pyarrow: Any) -> Any:
    """The type of a column: the one that it has by its name, so that files of several runs fit together."""
    if column in COUNTS | TOKENS:
        return pyarrow.int64()
    if column == "headline":
        return pyarrow.bool_()
    for value in _values(column, rows):
        return pyarrow.string() if isinstance(value, str) else pyarrow.float64()
    return (
        pyarrow.float64()
        if column in ("value", "se", "ci_low", "ci_high", "cost_usd", "latency_s")
        else pyarrow.string()
    )


def _values(column: str, rows: Iterable[Row]) -> Iterator[Any]:
    return (value for row in rows if (value := row.get(column)) is not None)


WRITERS: Mapping[str, Write] = {"csv": _write_csv, "parquet": _write_parquet}
