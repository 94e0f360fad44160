"""The prompt that a conversation begins with, for the report: rows and recordings hold only its hash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from proctor._base.errors import UsageError
from proctor._base.json_values import Json
from proctor.conversations.conversation import call_of
from proctor.media.medium import Media
from proctor.tasks.ask import Ask
from proctor.tasks.call import Call, Message, Reply
from proctor.tasks.judge import ANSWER
from proctor.tasks.prompt import Piece, Question, Value

if TYPE_CHECKING:
    from proctor.conversations.context import TaskContext
    from proctor.tasks.sample import Sample

NEXT = "\n\n"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """A prompt that a conversation begins with.

    Args:
        pieces: Its texts and media in order.
        sha256: What a row would call its hash, had the row's model been asked it; ``None`` if a medium cannot be read.
    """

    pieces: tuple[Piece, ...]
    sha256: str | None

    @property
    def has_media(self) -> bool:
        """Whether it is more than a text."""
        return any(isinstance(piece, Media) for piece in self.pieces)


def sent_prompt(call: Call) -> FirstPrompt:
    """The prompt that a call sends; where it has several messages, each under its role."""
    pieces: list[Piece] = []
    for message in call.messages:
        if len(call.messages) > 1:
            pieces.append(f"{NEXT if pieces else ''}{message['role']}:\n")
        pieces += _pieces(message, call)
    return FirstPrompt(tuple(pieces), call.messages_sha256)


def _pieces(message: Message, call: Call) -> Iterator[Piece]:
    content: Any = message["content"]
    if isinstance(content, str):
        yield content
        return
    for part in content:
        if part["type"] == "text":
            yield part["text"]
        else:
            yield Media(part["type"], call.media[part["sha256"]], part["sha256"])


def unsent_prompt(context: TaskContext, sample: Sample) -> FirstPrompt | None:
    """The prompt that a model would have been sent, where it was sent none: it is built in, or its answer was there.

    Args:
        context: What the sample is asked with.
        sample: The sample.

    Returns:
        ``None`` if the conversation does not begin with a single question.
    """
    if sample.error is not None:
        return None
    try:
        context.task.converse(sample, _FirstQuestion())
    except _FirstQuestionAsked as asked:
        question = asked.question
    except Exception:  # a conversation that cannot be held without replies has no prompt to show, and the run is fine
        return None
    else:
        return None
    try:
        said = call_of(
            context.model,
            context.templates,
            (question,),
            {},
            {},
            system=context.system,
            usual_system=context.task.system,
        )
        return sent_prompt(said)
    except KeyError:
        return None
    except (OSError, UsageError):  # a medium that is not there
        return FirstPrompt(tuple(context.templates[question.template].fill(question.values)), None)


class _FirstQuestionAsked(BaseException):
    """Ends a conversation at its first question; not to be caught by a benchmark's ``except Exception``."""

    def __init__(self, question: Question) -> None:
        self.question = question


class _FirstQuestion:
    """An `Ask` that never gives a reply: see there."""

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = ANSWER, **values: Value) -> Reply:  # noqa: ARG002  # as Ask has it
        if earlier:
            raise LookupError("several messages are no single question")
        raise _FirstQuestionAsked(Question(template, values))

    def again(self, role: str, tries: int, /) -> bool:  # noqa: ARG002  # as Ask has it
        return False

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        return [part(self) for part in parts]

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> NoReturn:  # noqa: ARG002
        raise LookupError(f"{kind} is not computed to show a prompt")
