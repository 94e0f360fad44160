"""What all other packages stand on: errors, JSON, files, YAML that knows its places, figures in words."""
