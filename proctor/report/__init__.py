"""Reports of a run: report.json, report.md, report.html, and what the terminal shows."""
