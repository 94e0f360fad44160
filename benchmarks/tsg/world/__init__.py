"""A small simulated world that plays out everyday activities and writes TSG-Bench rows about them.

The modules know one another in this order: verbs and nouns → action → simulation → scenario (and the activities
themselves) → english → narrative; questions read nothing but graphs; the ``*_rows`` modules put it all into files.
"""
