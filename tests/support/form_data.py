"""Reading a form that a client posted, as a server would: the parts between the boundaries, byte for byte."""

from __future__ import annotations

import re
from typing import NamedTuple


class Upload(NamedTuple):
    """A file of a form: the field it stands in, its name, its media type and its bytes."""

    field: str
    name: str
    media_type: str
    content: bytes


def read_form(content_type: str, body: bytes) -> tuple[dict[str, str], list[Upload]]:
    """The fields and the files of a ``multipart/form-data`` body."""
    found = re.fullmatch(r"multipart/form-data; boundary=(\S+)", content_type)
    assert found, content_type
    boundary = b"--" + found[1].encode()
    assert body.startswith(boundary)
    assert body.rstrip(b"\r\n").endswith(boundary + b"--")
    fields: dict[str, str] = {}
    files: list[Upload] = []
    for part in (b"\r\n" + body).split(b"\r\n" + boundary)[1:-1]:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n"))
        }
        names = dict(re.findall(r'(\w+)="([^"]*)"', headers["content-disposition"]))
        if "filename" in names:
            files.append(Upload(names["name"], names["filename"], headers["content-type"], content))
        else:
            fields[names["name"]] = content.decode()
    return fields, files
