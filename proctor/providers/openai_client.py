"""The OpenAI SDK's client, set up the same way for both of its APIs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.models.endpoint import without_query
from proctor.providers.client import list_timeout

if TYPE_CHECKING:
    import httpx2
    import openai

    from proctor.models.registry import Model
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call

OPENAI_KEY = "OPENAI_API_KEY"


def make(model: Model, *, url: str, key: str, patience: Patience) -> openai.OpenAI:
    """An SDK client without retries, which are the dispatcher's.

    Args:
        model: The model it is for.
        url: The endpoint.
        key: The API key.
        patience: How long to wait for an answer.
    """
    import openai

    from proctor.providers.http_client import Client, timeouts

    headers, http_client = model.sent_headers(), Client(url, patience)
    if "api-key" in map(str.casefold, headers):  # Azure's; the SDK sends its own beside it
        http_client.event_hooks["request"].append(_without_bearer)
    client = openai.OpenAI(
        api_key=key,
        base_url=without_query(url),  # to which the SDK appends the path
        default_headers=headers,
        default_query=model.sent_query(url),
        timeout=timeouts(patience),
        max_retries=0,
        http_client=http_client,
    )
    if model.key_env != OPENAI_KEY:
        # The SDK takes these from OPENAI_ORG_ID and OPENAI_PROJECT_ID; they are no other provider's business.
        client.organization = None
        client.project = None
    return client


def _without_bearer(request: httpx2.Request) -> None:
    request.headers.pop("authorization", None)


def poster(
    sdk: openai.OpenAI, path: str, body: Callable[[Call], Mapping[str, Json]]
) -> Callable[[Call], Callable[[], bytes]]:
    """What posts the JSON *body* of a call to *path* and returns the body of the answer, both as they are.

    The SDK's methods for each endpoint walk through all that is sent, looking for what their signatures name, which
    takes as long as the rest of a request does.
    """
    import httpx2

    def ready(call: Call) -> Callable[[], bytes]:
        made = body(call)
        return lambda: sdk.post(path, body=made, cast_to=httpx2.Response).content

    return ready


def lister(sdk: openai.OpenAI) -> Callable[[], object]:
    """A function that asks the endpoint for the list of its models."""
    import httpx2

    return lambda: sdk.get("/models", cast_to=httpx2.Response, options={"timeout": list_timeout()})
