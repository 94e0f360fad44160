"""report.html: a run as one self-contained page, with all its cases.

The page is a fixed document (the files in ``assets/``) and the run's data, which is embedded as compressed JSON. It is
drawn by its own script from there, as text nodes alone: nothing that a model wrote is ever read as HTML.
"""
