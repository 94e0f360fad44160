"""What is done with runs that have ended: merging, scoring again, exporting."""
