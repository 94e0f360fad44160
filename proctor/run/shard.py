"""``--shard K/N``: a stable part of the selected cases, for a run in pieces."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a run, as in ``3/8``.

    Which part a case falls into depends on its task, its sample, the other samples in the task's data file and the
    number of parts, and on nothing else: not on the order of the file, and not on what else is selected. So the cases
    of a shard are the same with ``-k``, ``--limit``, ``--shuffle`` or without, and a sample's models and epochs stay
    together.

    Args:
        number: Which part, from 1.
        count: How many parts there are.
    """

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``K/N``.

        Raises:
            argparse.ArgumentTypeError: If it is not two whole numbers, 1 ≤ K ≤ N.
        """
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        shard = cls(int(found[1]), int(found[2])) if found else None
        if shard is None or not 1 <= shard.number <= shard.count:
            raise argparse.ArgumentTypeError(f"takes K/N with K from 1 to N, such as 3/8, not {text!r}")
        return shard

    def samples(self, task: str, samples: Iterable[str]) -> frozenset[str]:
        """The ids of this shard's samples of one task.

        The samples are ranked by a hash, and dealt out in that order: of each task, no shard has two more than another.

        Args:
            task: The task's name.
            samples: The ids of all samples in its data file.
        """
        ranked = sorted((_hash(f"{task}:{sample}"), sample) for sample in samples)
        # The shards that get one more than others are not the same for every task.
        first = (self.number - 1 - int(_hash(task), 16)) % self.count
        return frozenset(sample for _, sample in ranked[first :: self.count])


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
