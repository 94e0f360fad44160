"""How the project's own MixEval-X data is made: every medium is drawn or synthesised from a description in code."""
