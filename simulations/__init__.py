"""Simulations behind docs/explanation/statistics.md: ``make statistics`` prints every table that stands there."""
