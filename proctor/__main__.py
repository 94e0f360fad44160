"""``python -m proctor``: the command ``proctor``."""

import sys

from proctor.cli import main

sys.exit(main())
