"""One run: what was asked for, which models and data, and what it needs before its first call."""
