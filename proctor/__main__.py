"""``python -m proctor``: the command ``proctor``."""

import sys

from proctor.cli.main import main

sys.exit(main())
