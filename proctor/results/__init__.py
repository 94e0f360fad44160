"""What a run leaves behind: result rows, the manifest, the run folder."""
