"""The data generator: a small simulated world plays out everyday activities, and rows are written about them.

The modules know one another in this order: verbs and nouns → action → simulation → scenario (and the activities
themselves) → english → narrative; questions read nothing but graphs; the ``*_rows`` modules put it all into files.
"""
