"""What options about models take; apart, since every start of pytest declares them, in any project."""

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The words of ``--effort``."""
DEFAULT_MODELS_FILE = "models.yaml"
"""What the ini option ``proctor_models`` is by default."""
