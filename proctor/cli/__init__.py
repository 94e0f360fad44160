"""The command ``proctor``: a file a subcommand."""
