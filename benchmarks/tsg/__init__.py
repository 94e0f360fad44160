"""TSG-Bench: understanding and writing scene graphs of everyday actions."""
