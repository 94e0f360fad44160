"""What several commands take."""

RUN_HELP = "a run's folder, or its id below reports/"
