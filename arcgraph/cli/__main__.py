"""``python -m arcgraph.cli``: the command without its script on the path."""

import sys

from arcgraph.cli import main

sys.exit(main())
