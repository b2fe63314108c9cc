"""``python -m txtfp_np``: the same as the command ``txtfp``."""

import sys

from .cli import main

sys.exit(main())
