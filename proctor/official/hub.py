"""Data sets of the Hugging Face hub that are Parquet: fetched with the hub's own library, at the revision it names."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from proctor._base.errors import DataError, UsageError
from proctor._base.http import redact, without_account
from proctor._base.json_lines import PARQUET
from proctor.official.catalogue import PublishedSet
from proctor.official.download import DownloadFailed
from proctor.official.source_notes import add_note, noted_files

HUB = "https://huggingface.co"
HUB_VARIABLE = "HF_ENDPOINT"
LIBRARY = "huggingface_hub"
INSTALL = "Install it: pip install -e '.[hub]'"
SPLIT = "test"
SOURCE_FILE = "HUB.json"
Say = Callable[[str], None]


def hub_address() -> str:
    """The hub that the environment names, else the usual one."""
    return os.environ.get(HUB_VARIABLE, "").rstrip("/") or HUB


def pull_from_hub(published: PublishedSet, dest: Path, *, revision: str | None, say: Say) -> int:
    """Bring the Parquet files of a set's tasks into its folder, as ``<task>.parquet``.

    Those that are here at the revision that the hub has now, or at the one that is given, stay.

    Args:
        published: The set.
        dest: The folder of all sets.
        revision: A commit, branch or tag of the data sets; ``None`` for the newest.
        say: Tells the user what happens, a line at a time.

    Returns:
        How many tasks' files could not be had.

    Raises:
        UsageError: If the set has none on the hub, the library is not installed, or the folder cannot be written.
    """
    if not published.on_hub:
        raise UsageError(f"{published.name} names no data sets of the hub", remedy="Leave --hub out.")
    if find_spec(LIBRARY) is None:
        raise UsageError(f"{LIBRARY}, which fetches from the hub, is not installed", remedy=INSTALL)
    failed = 0
    folder = dest / published.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for task, name in published.on_hub.items():
            try:
                _pull_task(folder, task, name, revision, say)
            except DownloadFailed as problem:
                failed += 1
                say(f"  {task}{PARQUET}: FAILED: {problem}")
    except OSError as problem:
        raise UsageError(
            f"{problem.filename or folder}: {problem.strerror or problem}",
            remedy="When that is mended, the same command goes on.",
        ) from None
    return failed


def _pull_task(folder: Path, task: str, name: str, revision: str | None, say: Say) -> None:
    import httpx2
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    target, endpoint = folder / f"{task}{PARQUET}", hub_address()
    try:
        found = HfApi(endpoint=endpoint).dataset_info(name, revision=revision)
        commit, files = str(found.sha), files_of_split([sibling.rfilename for sibling in found.siblings or []])
        known = noted_files(folder / SOURCE_FILE).get(target.name, {})
        if target.is_file() and known.get("revision") == commit and known.get("sha256") == sha256_of_file(target):
            say(f"  {target.name}: here already, at {commit[:12]}")
            return
        if not files:
            raise DownloadFailed(f"data set {name} has no Parquet file of its {SPLIT} split")
        say(f"  {target.name}: fetching {name} at {commit[:12]}")
        with tempfile.TemporaryDirectory(prefix=".hub-", dir=folder) as scratch:
            parts = [
                Path(
                    hf_hub_download(
                        name, file, repo_type="dataset", revision=commit, local_dir=scratch, endpoint=endpoint
                    )
                )
                for file in files
            ]
            whole = parts[0] if len(parts) == 1 else joined(parts, Path(scratch, target.name))
            add_note(
                folder / SOURCE_FILE,
                {"hub": without_account(hub_address())},
                target.name,
                {"data_set": name, "revision": commit, "files": files, "sha256": sha256_of_file(whole)},
            )
            shutil.move(whole, target)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, httpx2.HTTPError, ValueError) as problem:
        raise DownloadFailed(redact(str(problem).strip().splitlines()[0])) from None


def files_of_split(names: Sequence[str]) -> list[str]:
    """The Parquet files of the split that is measured, in order; all of them, if none says so in its name."""
    parquet = sorted(name for name in names if name.endswith(PARQUET))
    return [name for name in parquet if SPLIT in name.rpartition("/")[2] or f"/{SPLIT}/" in f"/{name}"] or parquet


def joined(parts: Sequence[Path], whole: Path) -> Path:
    """One Parquet file of the rows of several.

    Args:
        parts: Parquet files of one schema, in the order of their rows.
        whole: Where to write.

    Raises:
        DownloadFailed: If pyarrow is not installed.
    """
    from proctor._base.parquet import INSTALL as INSTALL_PARQUET
    from proctor._base.parquet import LIBRARY as PARQUET_LIBRARY

    if find_spec(PARQUET_LIBRARY) is None:
        raise DownloadFailed(f"it is in {len(parts)} parts, which {PARQUET_LIBRARY} joins. {INSTALL_PARQUET}")
    from pyarrow import parquet

    with parquet.ParquetWriter(whole, parquet.read_schema(parts[0])) as writer:
        for part in parts:
            with parquet.ParquetFile(part) as opened:
                for batch in opened.iter_batches():
                    writer.write_batch(batch)
    return whole


def pulled_from_hub(folder: Path, task: str) -> Path | None:
    """The Parquet file of a task that was pulled; ``None`` if none was.

    Raises:
        DataError: If it is not what was pulled.
    """
    target = folder / f"{task}{PARQUET}"
    known = noted_files(folder / SOURCE_FILE).get(target.name)
    if known is None or not target.is_file():
        return None
    if sha256_of_file(target) != known.get("sha256"):
        raise DataError(
            "--official: this is not what was pulled from the hub",
            file=target,
            remedy="Fetch it again with proctor pull … --hub. To use your own version, name it with --dataset.",
        )
    return target


def sha256_of_file(file: Path) -> str:
    """The SHA-256 (hex) of a file's content."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
