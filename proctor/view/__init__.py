"""``proctor view``: the pages of runs from a local server, and how a run that goes on is doing."""
