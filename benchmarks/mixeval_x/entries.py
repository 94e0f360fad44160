"""The entries of MixEval-X, as they are published: each becomes a sample, or an error that names what is wrong.

What the published grader scores is scored: it formats whatever it finds into the judge's prompt, and reads no more.
What asking takes beyond that, a medium, is looked for when a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from proctor import DataError, Row, Sample

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

ACTION_FIELDS = {
    "task": "task description",
    "actions": "allowed actions",
    "objects": "visible objects",
    "done": "already executed steps",
}
"""The fields of an action task by the placeholders of its prompts."""

PROMPTS = ("first_turn_user_prompt", "second_turn_user_prompt")
CAPTIONS = ("first_turn_caption", "second_turn_caption")

HUB_FIELDS = {"prompt": "query", "target": "reference_answer"}
"""What the fields of a question are called on the hub."""

IN_PUBLISHED_WORDS = (*HUB_FIELDS, "benchmark_name")
"""The fields that an entry of the hub gets for the published grader."""

NOT_TOLD = "not told"
"""The source of a question that does not tell it."""


def letters(options: Sequence[object]) -> str:
    """The letters of options, in order: A and what follows it, as published, where that is a letter no more too."""
    return "".join(chr(ord("A") + number) for number in range(len(options)))


def problem_type(row: Row) -> ProblemType:
    """The kind of question that an entry asks.

    The name of a file of responses says it, which is all that the published grader goes by; else the entry; and of one
    that does not say it, as those of the hub, its options.
    """
    file = row.file
    for kind, suffix in SUFFIXES.items():
        if file.stem == f"{file.parent.name}_{suffix}":
            return kind
    named = row.data.get("problem_type")
    known = PROBLEM_TYPES.get(named) if isinstance(named, str) else None
    return known or (MULTIPLE_CHOICE if row.data.get("options") else FREE_FORM)


def question_sample(row: Row, media_field: str, kinds: Sequence[ProblemType]) -> Iterable[Sample]:
    """The sample of a question about a picture, clip or sound.

    Args:
        row: The entry, with the published field names or those of the hub (``query``, ``input_file``,
            ``reference_answer``).
        media_field: The field that names the medium, such as ``image_id``.
        kinds: The kinds of questions that the benchmark has.

    Returns:
        One sample. Its fields are the whole ``entry``, ``problem_type``, ``prompt``, ``media`` (file names), and
        ``targets`` or ``options``. Its target is the list of gold answers, or the letter of the right option. An entry
        without a field that the published grader needs is unusable.

    Raises:
        DataError: For a kind of question that the benchmark does not have.
    """
    kind = problem_type(row)
    named = row.get("problem_type", kind)
    row.id = (f"{SUFFIXES[kind]}-" if len(kinds) > 1 else "") + _id(row, kind)
    if kind not in kinds:
        known = ", ".join(name for name, of_kind in PROBLEM_TYPES.items() if of_kind in kinds)
        raise row.error(
            "problem_type", "is no kind of question of this benchmark", value=named, remedy=f"Known: {known}."
        )
    if not isinstance(named, str) or PROBLEM_TYPES.get(named) != kind:
        row.odd("problem_type", f"a kind that is read as {kind}", value=named)
    media = _media(row, media_field)
    cluster = " + ".join(media)  # questions about one picture are not independent
    metrics = ("overall", "judge_score" if kind == FREE_FORM else "accuracy") if len(kinds) > 1 else ()
    tags = {"source": str(_source(row)), "problem_type": kind}
    fields: dict[str, Any] = {"entry": dict(row.data), "problem_type": kind, "media": media}
    target: str | list[str]
    try:
        fields["prompt"] = _shown(row, _named(row, "prompt"))
        if kind == FREE_FORM:
            target = fields["targets"] = _targets(row, _named(row, "target"))
        else:
            fields["options"] = _options(row)
            target = _right_letter(row, _named(row, "target"), fields["options"])
    except DataError as problem:
        yield row.unusable(row.id, problem, cluster=cluster, metrics=metrics, tags=tags)
        return
    yield Sample(
        id=row.id, fields=fields, target=target, cluster=cluster, metrics=metrics, tags=tags, id_may_repeat=True
    )


def action_sample(row: Row, *, with_picture: bool) -> Iterable[Sample]:
    """The sample of an action task.

    Args:
        row: The entry.
        with_picture: Whether a picture shows the objects; else the entry lists them.

    Returns:
        One sample. Its fields are the whole ``entry``, ``shown`` (the prompt's texts), and with a picture ``media``.

    Raises:
        DataError: For a field that the published grader cannot do without.
    """
    row.id = _id(row)
    names = {place: name for place, name in ACTION_FIELDS.items() if place != "objects" or not with_picture}
    shown = {place: _shown(row, name, may_be_empty=place == "done") for place, name in names.items()}
    if not shown["done"].strip() or row.data[ACTION_FIELDS["done"]] is None:
        shown["done"] = "nothing"
    fields: dict[str, Any] = {"entry": dict(row.data), "shown": shown}
    if with_picture:
        fields["media"] = _media(row, "image_id")
    yield Sample(id=row.id, fields=fields, target=_shown(row, "target"), id_may_repeat=True)


def picture_sample(row: Row) -> Iterable[Sample]:
    """The sample of a picture to make and to change.

    Returns:
        One sample. Its fields are the whole ``entry``, the two prompts as ``first`` and ``second``, and ``folder``,
        where the file lies that holds the entry. Its target are the two captions, which nobody is shown.

    Raises:
        DataError: For a prompt that is missing.
    """
    row.id = _id(row)
    first, second = (_shown(row, name) for name in PROMPTS)
    yield Sample(
        id=row.id,
        fields={"entry": dict(row.data), "first": first, "second": second, "folder": row.file.parent},
        target=[_shown(row, name) if name in row.data else _missing(row, name, "no caption") for name in CAPTIONS],
        id_may_repeat=True,
    )


def in_published_words(entry: Mapping[str, Any], kind: ProblemType) -> dict[str, Any]:
    """A question's entry with all that the published grader reads of it, as it takes it.

    Args:
        entry: The entry; one of the hub keeps its own fields beside the others.
        kind: The kind of the question.
    """
    added = {name: entry[of_hub] for name, of_hub in HUB_FIELDS.items() if name not in entry and of_hub in entry}
    whole = {**entry, **added}
    if not isinstance(whole["target"], list):
        whole["target"] = [whole["target"]]
    if kind == MULTIPLE_CHOICE:
        whole["target"] = whole["target"][:1]
    if not isinstance(whole.setdefault("benchmark_name", NOT_TOLD), str | int | float | None):
        whole["benchmark_name"] = str(whole["benchmark_name"])
    return whole


def _named(row: Row, name: str) -> str:
    """What a field of a question is called in this row."""
    of_hub = HUB_FIELDS[name]
    return of_hub if of_hub in row.data and name not in row.data else name


def _id(row: Row, kind: ProblemType | None = None) -> str:
    """The entry's own id, a text or a whole number; a hash of its content if it has none."""
    given = row.get("id")
    if isinstance(given, int | str) and not isinstance(given, bool) and str(given).strip():
        return str(given).strip()
    if given is not None:
        row.odd("id", "no id that tells rows apart", value=given)
    if kind is not None and HUB_FIELDS["prompt"] in row.data:
        # The same entry in published words, as a response file has it, has the same id.
        alone = {name: value for name, value in row.data.items() if name not in IN_PUBLISHED_WORDS}
        if HUB_FIELDS["target"] in alone and in_published_words(alone, kind) == row.data:
            return row.without(*IN_PUBLISHED_WORDS).content_id
    return row.content_id


def _shown(row: Row, name: str, *, may_be_empty: bool = False) -> str:
    """What a prompt shows of a field: its text; anything else in Python's words, as the published grader formats it."""
    value = row.there(name)
    text = _text(row, name, value)
    if not may_be_empty and not text.strip():
        row.odd(name, "an empty text", value=value)
    return text


def _text(row: Row, name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    row.odd(name, "something else than a text", value=value)
    return str(value)


def _missing(row: Row, name: str, what: str) -> str:
    row.odd(name, what)
    return ""


def _source(row: Row) -> object:
    """The benchmark that a question was taken from; rows of the hub need not tell it."""
    if "benchmark_name" in row.data:
        found = row.data["benchmark_name"]
        if not isinstance(found, str):
            row.odd("benchmark_name", "something else than a text", value=found)
        return found
    if "prompt" in row.data:
        _missing(row, "benchmark_name", "no source")
    return NOT_TOLD


def _media(row: Row, name: str) -> list[str]:
    """The names of the media's files: mostly one, several for some entries of the hub. Grading needs none of them."""
    field = name if name in row.data else "input_file"
    found = row.data.get(field)
    names = found if isinstance(found, list) else [found]
    if all(isinstance(one, str) and one.strip() for one in names):
        if isinstance(found, list) and (field == name or not found):
            row.odd(field, "a list of files", value=found)
        return list(names)
    if field in row.data:
        row.odd(field, "no name of a file", value=found)
    return [one for one in names if isinstance(one, str) and one.strip()]


def _targets(row: Row, name: str) -> list[str]:
    found = _sequence(row, name, (str,))
    if not found:
        row.odd(name, "no gold answer", value=found)
    for number, target in enumerate(found):
        if isinstance(target, str) and not target.strip():
            row.odd(f"{name}[{number}]", "an empty gold answer", value=target)
    return [_text(row, f"{name}[{number}]", target) for number, target in enumerate(found)]


def _options(row: Row) -> list[str]:
    found = _sequence(row, "options", ())
    if not found:
        raise row.error("options", "must not be empty", value=found)
    if not 2 <= len(found) <= 25:  # Z says that a response picks none
        row.odd("options", "fewer than 2 options, or more than there are letters for", value=len(found))
    for number, option in enumerate(found):
        if isinstance(option, str) and not option.strip():
            row.odd(f"options[{number}]", "an empty option", value=option)
    return [_text(row, f"options[{number}]", option) for number, option in enumerate(found)]


def _right_letter(row: Row, name: str, options: Sequence[str]) -> str:
    """The letter of the right option; as in Python, a negative index counts from the end, and true is 1."""
    found = _sequence(row, name, (int,))
    index = found[0] if found else None
    if not isinstance(index, int) or not -len(options) <= index < len(options):
        raise row.error(
            f"{name}[0]" if found else name,
            f"must be the index of an option, from 0 to {len(options) - 1}",
            value=index,
            remedy="The first option has the index 0.",
        )
    if len(found) > 1:
        row.odd(name, "several right options, of which the first counts", value=found)
    if index < 0 or isinstance(index, bool):
        row.odd(f"{name}[0]", "an index that is read as Python does", value=index)
    return letters(options)[index]


def _sequence(row: Row, name: str, alone: tuple[type, ...]) -> list[Any]:
    """The list in a field, or one value of a kind that may stand there *alone*."""
    if name in row.data and not isinstance(row.data[name], list) and isinstance(row.data[name], alone):
        row.odd(name, "one value in place of a list", value=row.data[name])
        return [row.data[name]]
    found: list[Any] = row.typed(name, list, "a list")
    return found
