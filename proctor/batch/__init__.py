"""Asking through a provider's batch API: for less money, within a day, into the recordings that a run replays."""
