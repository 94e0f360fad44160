"""Published data: a catalogue of it, fetched at pinned revisions and checked."""
