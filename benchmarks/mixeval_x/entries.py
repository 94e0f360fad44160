"""The entries of MixEval-X, as they are published: each becomes a sample, or an error that names what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Literal

from proctor import Row, Sample

ProblemType = Literal["free-form", "multiple-choice"]
FREE_FORM: ProblemType = "free-form"
MULTIPLE_CHOICE: ProblemType = "multiple-choice"
PROBLEM_TYPES: Mapping[str, ProblemType] = {
    "free-form": FREE_FORM,
    "single-choice": MULTIPLE_CHOICE,
    "multiple-choice": MULTIPLE_CHOICE,
}
SUFFIXES: Mapping[ProblemType, str] = {FREE_FORM: "ff", MULTIPLE_CHOICE: "mp"}
"""What tells the kinds apart in the names of files, and in ids."""

NO_OPTION = "Z"
LETTERS = ascii_uppercase[: ascii_uppercase.index(NO_OPTION)]
"""The letters of options, in order; the last of the alphabet says that a response picks none."""

ACTION_FIELDS = {
    "task": "task description",
    "actions": "allowed actions",
    "objects": "visible objects",
    "done": "already executed steps",
}
"""The fields of an action task by the placeholders of its prompts."""

PICTURE_FIELDS = ("first_turn_user_prompt", "first_turn_caption", "second_turn_user_prompt", "second_turn_caption")


def problem_type(data: Mapping[str, Any]) -> ProblemType | None:
    """The kind of question that an entry asks; ``None`` if it says something unknown.

    An entry that does not say it, as those of the hub, is a multiple-choice question if it has options.
    """
    if "problem_type" not in data:
        return MULTIPLE_CHOICE if data.get("options") else FREE_FORM
    named = data["problem_type"]
    return PROBLEM_TYPES.get(named) if isinstance(named, str) else None


def question_sample(row: Row, media_field: str, kinds: Sequence[ProblemType]) -> Iterable[Sample]:
    """The sample of a question about a picture, clip or sound.

    Args:
        row: The entry, with the published field names or those of the hub (``query``, ``input_file``,
            ``reference_answer``).
        media_field: The field that names the medium, such as ``image_id``.
        kinds: The kinds of questions that the benchmark has.

    Returns:
        One sample. Its fields are the whole ``entry``, ``problem_type``, ``prompt``, ``medium`` (the name of the file;
        empty if the entry has none), and ``targets`` or ``options``. Its target is the list of gold answers, or the
        letter of the right option.

    Raises:
        DataError: For a field that is missing or wrong.
    """
    kind = problem_type(row.data)
    if kind is None or kind not in kinds:
        known = ", ".join(name for name, of_kind in PROBLEM_TYPES.items() if of_kind in kinds)
        found = row.data.get("problem_type", kind)
        raise row.error(
            "problem_type", "is no kind of question of this benchmark", value=found, remedy=f"Known: {known}."
        )
    fields: dict[str, Any] = {
        "entry": dict(row.data),
        "problem_type": kind,
        "prompt": _filled(row, "query" if "query" in row.data and "prompt" not in row.data else "prompt"),
        "medium": _medium(row, media_field),
    }
    gold = "reference_answer" if "reference_answer" in row.data and "target" not in row.data else "target"
    target: str | list[str]
    if kind == FREE_FORM:
        target = fields["targets"] = _targets(row, gold)
    else:
        fields["options"] = _options(row)
        target = _right_letter(row, gold, len(fields["options"]))
    prefix = f"{SUFFIXES[kind]}-" if len(kinds) > 1 else ""
    yield Sample(
        id=prefix + _id(row),
        fields=fields,
        target=target,
        cluster=fields["medium"],  # questions about one picture are not independent
        metrics=("overall", "judge_score" if kind == FREE_FORM else "accuracy") if len(kinds) > 1 else (),
        tags={"source": _source(row), "problem_type": kind},
        id_may_repeat=True,
    )


def action_sample(row: Row, *, with_picture: bool) -> Iterable[Sample]:
    """The sample of an action task.

    Args:
        row: The entry.
        with_picture: Whether a picture shows the objects; else the entry lists them.

    Returns:
        One sample. Its fields are the whole ``entry``, ``shown`` (the prompt's texts), and with a picture ``medium``.

    Raises:
        DataError: For a field that is missing or wrong.
    """
    names = {place: name for place, name in ACTION_FIELDS.items() if place != "objects" or not with_picture}
    shown = {place: row.text(name) if place == "done" else _filled(row, name) for place, name in names.items()}
    fields: dict[str, Any] = {"entry": dict(row.data), "shown": shown | {"done": shown["done"].strip() or "nothing"}}
    if with_picture:
        fields["medium"] = _medium(row, "image_id")
    yield Sample(id=_id(row), fields=fields, target=_filled(row, "target"), id_may_repeat=True)


def picture_sample(row: Row) -> Iterable[Sample]:
    """The sample of a picture to make and to change.

    Returns:
        One sample. Its fields are the whole ``entry``, the two prompts as ``first`` and ``second``, and ``folder``,
        where the file lies that holds the entry.

    Raises:
        DataError: For a field that is missing or wrong.
    """
    texts = {name: _filled(row, name) for name in PICTURE_FIELDS}
    yield Sample(
        id=_id(row),
        fields={
            "entry": dict(row.data),
            "first": texts["first_turn_user_prompt"],
            "second": texts["second_turn_user_prompt"],
            "folder": row.file.parent,
        },
        target=[texts["first_turn_caption"], texts["second_turn_caption"]],
        id_may_repeat=True,
    )


def _id(row: Row) -> str:
    """The entry's own id, a text or a whole number; a hash of its content if it has none."""
    given = row.data.get("id")
    if given is None:
        return row.content_id
    if isinstance(given, bool) or not isinstance(given, int | str) or not str(given).strip():
        raise row.error("id", "must be a non-empty string or an integer", value=given)
    return str(given).strip()


def _filled(row: Row, name: str) -> str:
    text = row.text(name)
    if not text.strip():
        raise row.error(name, "must not be empty", value=text)
    return text


def _source(row: Row) -> str:
    """The benchmark that a question was taken from; rows of the hub need not tell it."""
    return _filled(row, "benchmark_name") if "benchmark_name" in row.data or "prompt" in row.data else "not told"


def _medium(row: Row, name: str) -> str:
    """The name of the medium's file; empty if the entry has none, which then can be graded but not asked."""
    if name in row.data:
        return _filled(row, name)
    files = row.data.get("input_file", "")
    if isinstance(files, list) and len(files) == 1:
        (files,) = files
    if not isinstance(files, str):
        raise row.error("input_file", "must be the name of one file", value=files)
    return files


def _targets(row: Row, name: str) -> list[str]:
    found = row.data.get(name)
    targets = [found] if isinstance(found, str) else row.sequence(name)
    for number, target in enumerate(targets):
        if not isinstance(target, str) or not target.strip():
            raise row.error(f"{name}[{number}]", "must be a non-empty string", value=target)
    return targets


def _options(row: Row) -> list[str]:
    options = row.sequence("options")
    for number, option in enumerate(options):
        if not isinstance(option, str) or not option.strip():
            raise row.error(f"options[{number}]", "must be a non-empty string", value=option)
    if not 2 <= len(options) <= len(LETTERS):
        raise row.error("options", f"must be 2 to {len(LETTERS)} options", value=options)
    return options


def _right_letter(row: Row, name: str, options: int) -> str:
    found = row.data.get(name)
    indices = [found] if isinstance(found, int) else row.sequence(name)
    for number, index in enumerate(indices):
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < options:
            raise row.error(
                f"{name}[{number}]",
                f"must be the index of an option, from 0 to {options - 1}",
                value=index,
                remedy="The first option has the index 0. Of several right options the first one counts.",
            )
    return LETTERS[indices[0]]
