"""What all tests share: a date on which none of the models that they ask is shut down."""

import os

os.environ.setdefault("PROCTOR_TODAY", "2025-09-01")
