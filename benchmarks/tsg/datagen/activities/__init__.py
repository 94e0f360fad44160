"""Everyday activities as scripts, by where they happen; :data:`SCENARIOS` is all of them."""

from __future__ import annotations

from benchmarks.tsg.datagen.activities import cloth, desk, garden, kitchen, upkeep, workshop
from benchmarks.tsg.datagen.scenario import Scenario, parse_scenarios

SCENARIOS: tuple[Scenario, ...] = tuple(
    scenario
    for module in (workshop, kitchen, upkeep, cloth, garden, desk)
    for scenario in parse_scenarios(module.SCRIPTS)
)
"""Every scenario, in a fixed order."""
