"""Recordings: what models answered and programs computed, kept, found again and looked after."""
