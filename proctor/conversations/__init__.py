"""One case's conversation, and who answers it: recordings, live models, built-in models, provided responses."""
