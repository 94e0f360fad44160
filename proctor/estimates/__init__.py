"""``--estimate``: what a run would take, without asking any model."""
