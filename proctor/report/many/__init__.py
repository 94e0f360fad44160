"""Many runs at once: what a folder of reports holds, how scores went, and reports/index.html."""
