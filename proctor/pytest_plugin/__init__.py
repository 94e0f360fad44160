"""All hooks of pytest and pytest-xdist."""
