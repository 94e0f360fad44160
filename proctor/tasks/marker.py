"""The marker by which pytest tells the cases of a benchmark from other tests; apart, since every start needs it."""

MARKER = "proctor_task"
