"""What is measured: one folder a benchmark, one test file a task."""
