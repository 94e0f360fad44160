"""Clients of OpenAI's APIs: one for each question's JSON, and the SDK's own for files and forms."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from proctor._base.json_values import Json
from proctor.models.endpoint import without_query
from proctor.providers.client import Request, SdkClient, list_timeout

if TYPE_CHECKING:
    import httpx2
    import openai

    from proctor.models.registry import Model
    from proctor.providers.bodies import Object
    from proctor.providers.patience import Patience
    from proctor.tasks.call import Call, Reply, Usage

OPENAI_KEY = "OPENAI_API_KEY"
ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers, and the variables that say what they hold; they are no other provider's business."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


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


class Refused(Exception):
    """An answer without success, with the attributes of the SDK's own exceptions."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(str(response.status_code))
        self.response = response

    @property
    def body(self) -> object:
        """What was sent: as JSON, if it is that."""
        try:
            return json.loads(self.response.content)
        except (ValueError, RecursionError):
            return self.response.text


class OpenAIClient(SdkClient):
    """A client of one of OpenAI's APIs that takes JSON and answers in JSON.

    It sends what the SDK would, by the same HTTP library. To import the SDK takes as long as all else that a run does
    before its first request, and it would take a third of the CPU time of each answer.

    Args:
        path: Where to, below the endpoint's address.
        body: Makes the JSON of a call.
        read_reply: As for `SdkClient`.
        usage_of: As for `SdkClient`.
        model: The model it is for.
        url: The endpoint.
        key: The API key.
        patience: How long to wait for an answer.
    """

    def __init__(
        self,
        path: str,
        body: Callable[[Call], Mapping[str, Json]],
        read_reply: Callable[[bytes], Reply],
        usage_of: Callable[[Object], Usage],
        *,
        model: Model,
        url: str,
        key: str,
        patience: Patience,
    ) -> None:
        from proctor.providers.http_client import Client

        self._http = Client(url, patience)
        self._http.base_url = without_query(url)  # to which paths are appended
        self._http.params = model.sent_query(url)
        self._headers = _headers(model, key)
        self._of_posts = {"Content-Type": "application/json", **self._headers}
        self._path = path
        self._body = body
        super().__init__(
            self._made_ready, read_reply, usage_of, self._http.close, self._listed_models, url=url, key=key
        )

    def _made_ready(self, call: Call) -> Request:
        content = _encode(self._body(call)).encode()

        def send() -> bytes:
            return _successful(self._http.post(self._path, content=content, headers=self._of_posts))

        return send

    def _listed_models(self) -> bytes:
        return _successful(self._http.get("/models", headers=self._headers, timeout=list_timeout()))


def _headers(model: Model, key: str) -> Mapping[str, str]:
    given = model.sent_headers()
    names = set(map(str.casefold, given))
    usual = {"Accept": "application/json", "User-Agent": "proctor"}
    if "api-key" not in names:  # Azure's
        usual["Authorization"] = f"Bearer {key}"
    if model.key_env == OPENAI_KEY:
        usual |= {name: os.environ[variable] for name, variable in ACCOUNT.items() if os.environ.get(variable)}
    return {name: value for name, value in usual.items() if name.casefold() not in names} | given


def _successful(response: httpx2.Response) -> bytes:
    if not response.is_success:
        raise Refused(response)
    return response.content
