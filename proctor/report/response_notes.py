"""What the user should know about files of responses."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.results.manifest import ManifestTask

SHOWN = 5  # names in a note; report.json lists all


def notes_on_responses(task: ManifestTask) -> Iterator[str]:
    """What the user should know about the file of a task's responses."""
    provided = task.responses or {}
    for names, one, more in (
        (provided.get("extra"), "response without a sample", "responses without a sample"),
        (provided.get("duplicates"), "sample with several responses", "samples with several responses"),
    ):
        if names:
            what = one if len(names) == 1 else more
            rule = ", of which the first counts" if names is provided["duplicates"] else ""
            listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
            yield f"{task.name} {task.model}: {len(names)} {what}{rule}: {listed}"
