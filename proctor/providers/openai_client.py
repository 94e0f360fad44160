"""The OpenAI SDK's client, set up the same way for both of its APIs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from proctor.calls import Json
from proctor.providers.client import timeouts

if TYPE_CHECKING:
    import openai

    from proctor.models.registry import Model

OPENAI_KEY = "OPENAI_API_KEY"


def make(model: Model, *, url: str, key: str, timeout: float) -> openai.OpenAI:
    """An SDK client without retries, which are the dispatcher's.

    Args:
        model: The model it is for.
        url: The endpoint.
        key: The API key.
        timeout: Seconds without a byte after which a call fails.
    """
    import openai

    from proctor.providers.connections import NoCookies, one_per_request

    client = openai.OpenAI(
        api_key=key,
        base_url=url,
        timeout=timeouts(timeout),
        max_retries=0,
        http_client=openai.DefaultHttpxClient(transport=one_per_request(), cookies=NoCookies()),
    )
    if model.key_env != OPENAI_KEY:
        # The SDK takes these from OPENAI_ORG_ID and OPENAI_PROJECT_ID; they are no other provider's business.
        client.organization = None
        client.project = None
    return client


def poster(sdk: openai.OpenAI, path: str) -> Callable[[Mapping[str, Json]], bytes]:
    """A function that posts a JSON body to *path* and returns the body of the answer, both as they are.

    The SDK's methods for each endpoint walk through all that is sent, looking for what their signatures name, which
    takes as long as the rest of a request does.
    """
    import httpx2

    def post(body: Mapping[str, Json]) -> bytes:
        return sdk.post(path, body=body, cast_to=httpx2.Response).content

    return post
