"""What a client of any API does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from proctor.tasks.call import Call


class Client(Protocol):
    """A connection to one model, at one address or several, that many threads may share."""

    def ready(self, call: Call) -> Callable[[], bytes]:
        """Do all that comes before the request, such as reading and converting the media of a question.

        Args:
            call: See `send`.

        Returns:
            What then asks once, as `send` does, and may be called again.

        Raises:
            CallFailed: If no request can be made of the call.
            DataError: For a medium that cannot be shown.
        """
        ...

    def send(self, call: Call) -> bytes:
        """Ask once, without retries.

        Args:
            call: What :meth:`proctor.models.registry.Model.call` of this client's model made.

        Returns:
            The body of the successful answer, which :func:`read_reply` understands.

        Raises:
            CallFailed: If there is no successful answer.
        """
        ...

    def reach(self) -> Sequence[str]:
        """Find out, without a call that costs anything, whether the endpoint is there.

        Returns:
            Of several addresses, those that are not there, with the reason; the others are asked then.

        Raises:
            CallFailed: If nobody takes the connection, or the key is refused. Whatever else is answered to the
                question for a list of models, somebody is there.
        """
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
