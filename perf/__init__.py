"""What Proctor costs, measured on this machine: ``python -m perf``, or ``make perf``.

Every number is set against one that pytest itself, or the obvious way, needs for the same work in the same run. Nothing
here is asserted: the table says what holds and what does not.
"""
