"""Models: what each is called, how it is asked and what it costs, and which one plays which role."""
