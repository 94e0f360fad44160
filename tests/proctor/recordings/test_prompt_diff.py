"""How a prompt differs from a recorded one, whatever the provider's request looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proctor.recordings.prompt_diff import prompt_diff

NEW = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say A\nor C."}]
EXPECTED = """\
    --- recorded prompt
    +++ new prompt
     [system]
     Be brief.
     [user]
     Say A
    -or B.
    +or C.
"""


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say A\nor B."}]},
        {"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Say A\nor B."}]},
        {"system": "Be brief.", "messages": [{"role": "user", "content": [{"type": "text", "text": "Say A\nor B."}]}]},
        {"system": [{"type": "text", "text": "Be brief."}], "messages": [{"role": "user", "content": "Say A\nor B."}]},
        {"instructions": "Be brief.", "input": "Say A\nor B."},
        {"input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say A\nor B."}]},
    ],
)
def test_every_api_shows_the_same(body: dict[str, Any]) -> None:
    # four lines before the change are alike, and three of them are context
    assert prompt_diff(json.dumps(body), NEW) == EXPECTED.replace("     [system]\n", "")


@pytest.mark.parametrize("body", [None, "", "no json", "[]", "{}", '{"messages": null}', '{"messages": [3, "x"]}'])
def test_without_a_readable_old_prompt_there_is_no_diff(body: str | None) -> None:
    assert prompt_diff(body, NEW) == ""


def test_the_same_prompt_has_no_diff() -> None:
    assert prompt_diff(json.dumps({"messages": NEW}), NEW) == ""


def test_a_long_diff_is_cut() -> None:
    old = "\n".join(f"old {n}" for n in range(50))
    new = "\n".join(f"new {n}" for n in range(50))
    lines = prompt_diff(json.dumps({"input": old}), [{"role": "user", "content": new}]).splitlines()
    assert lines[2:4] == ["    -old 0", "    -old 1"]
    assert len(lines) == 21
    assert lines[-1] == "    …"


def test_a_wide_line_is_cut_around_the_change() -> None:
    old, new = "a" * 500 + "OLD" + "b" * 500, "a" * 500 + "NEW" + "b" * 500
    lines = prompt_diff(json.dumps({"input": old}), [{"role": "user", "content": new}]).splitlines()
    assert lines[2:] == [f"    -…{'a' * 40}OLD{'b' * 77}…", f"    +…{'a' * 40}NEW{'b' * 77}…"]


def test_images_show_as_their_type_and_control_characters_do_not_reach_the_terminal() -> None:
    image: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    old = {"messages": [{"role": "user", "content": [{"type": "text", "text": "\x1b[31mred"}, image]}]}
    shown = prompt_diff(json.dumps(old), [{"role": "user", "content": [{"type": "text", "text": "blue"}, image]}])
    assert shown.splitlines()[2:] == ["    -�[31mred", "    +blue", "     [image_url]"]
