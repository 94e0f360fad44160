"""What a run must reach for its build to pass, and when that is decided."""
