"""Pure functions of result rows: scores, how sure they are, and how they compare."""
