"""How a benchmark puts questions to models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from proctor._base.json_values import Json
from proctor.tasks.call import Reply
from proctor.tasks.prompt import Question, Value

T = TypeVar("T")


class Ask(Protocol):
    """Puts questions to models: live, or from recordings. A conversation cannot tell which."""

    def __call__(self, template: str, /, *earlier: Question | Reply, role: str = "answer", **values: Value) -> Reply:
        """Fill the prompt template *template* with *values*, send it, and return the reply.

        Args:
            template: Name of one of the task's prompts.
            *earlier: What was said before in the same conversation, in order: questions, and replies to them.
            role: What the call is for. One of the task's `Judged` roles is asked of the model in that role; any other,
                such as ``answer``, of the model under test. What follows a slash tells calls to one role apart, as in
                ``judge/swapped``; calls with the same string are told apart by their order. A judge that is asked the
                same again under the same string, or to go on, gives a fresh sample: without temperature and seed.
            **values: Values of the template's placeholders, texts or media.

        Raises:
            JudgeFailed: If a model in a role of `Judged` gives no answer.
        """

    def again(self, role: str, tries: int, /) -> bool:
        """Whether to ask a role again under the same string, since its reply could not be read.

        A try that is recorded is always due, and as many live ones as one run makes: so a replay repeats what was
        recorded, and the next live run asks anew where all of that could not be read.

        Args:
            role: The role string.
            tries: How often one run asks live, at most.
        """

    def together(self, parts: Sequence[Callable[[Ask], T]], /) -> list[T]:
        """Hold parts of the conversation at the same time; each is called with an `Ask` of its own.

        Args:
            parts: The parts. No two may use the same role string, by whose order recordings are found.

        Returns:
            Their results in order.

        Raises:
            Exception: What the first of them in order that failed raised, after all have ended.
        """

    def computed(self, kind: str, inputs: Json, compute: Callable[[], Json], /) -> Any:
        """The result of a computation, remembered under its inputs: a replay needs not repeat it.

        Args:
            kind: The kind of computation, which names the file it is remembered in.
            inputs: Everything that the result depends on.
            compute: Computes the result, which must be JSON: a function, called here, or a `Program`, which runs where
                ``--programs-on`` says, as many at a time as there is room for.
        """
