"""Embeddings: cosines by hand, and the same as the library's where it is installed."""

from __future__ import annotations

import math
import threading

import pytest

from benchmarks.sgi import embeddings
from benchmarks.sgi.embeddings import cosine, mean_cosine, mean_pairwise_cosine, packed, unpacked

RIGHT, UP, DIAGONAL = (1.0, 0.0), (0.0, 2.0), (3.0, 3.0)


def test_cosines_by_hand() -> None:
    assert cosine(RIGHT, UP) == 0
    assert cosine(RIGHT, DIAGONAL) == pytest.approx(math.sqrt(0.5))
    assert cosine(RIGHT, (-2.0, 0.0)) == -1
    assert cosine(RIGHT, (0.0, 0.0)) == 0
    assert mean_cosine(RIGHT, [UP, DIAGONAL]) == pytest.approx(math.sqrt(0.5) / 2)
    assert mean_cosine(RIGHT, []) == 0


def test_pairs_by_hand() -> None:
    # right and up 0, right and diagonal 0.7071, up and diagonal 0.7071
    assert mean_pairwise_cosine([RIGHT, UP, DIAGONAL]) == pytest.approx(2 * math.sqrt(0.5) / 3)
    assert mean_pairwise_cosine([RIGHT]) is None
    assert mean_pairwise_cosine([]) is None


def test_vectors_are_kept_to_the_last_bit() -> None:
    vector = [0.1, -1e-30, 3.4e38, 0.0]
    once = unpacked(packed(vector))
    assert once == pytest.approx(vector, rel=1e-7)
    assert unpacked(packed(once)) == once
    assert len(packed([0.0] * 384)) == 2048


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "LIBRARY", "no_such_library")
    with pytest.raises(RuntimeError, match=r"sentence-transformers.*not installed.*pip install -e '\.\[sgi\]'"):
        embeddings.encoded(embeddings.MODEL, "text")


def test_vectors_are_the_librarys_own_and_the_model_is_loaded_once() -> None:
    library = pytest.importorskip("sentence_transformers", reason="the extra [sgi] is not installed")
    pytest.importorskip(embeddings.PACKAGED[embeddings.MODEL], reason="the extra [sgi] is not installed")
    texts = ["A cup with a wall of wax.", "A heated plate needs a socket.", ""]
    vectors: dict[str, embeddings.Vector] = {}
    threads = [
        threading.Thread(target=lambda text=text: vectors.update({text: embeddings.encoded(embeddings.MODEL, text)}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert embeddings._loaded.cache_info().currsize == 1
    own = embeddings._loaded(embeddings.MODEL).encode(texts, show_progress_bar=False)
    expected = library.util.cos_sim(own, own)
    for row, first in enumerate(texts):
        for column, second in enumerate(texts):
            kept = (unpacked(packed(vectors[text])) for text in (first, second))
            assert cosine(*kept) == pytest.approx(float(expected[row][column]), abs=1e-6)
