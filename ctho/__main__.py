"""`python -m ctho` is `ctho`."""

import sys

from ctho.cli import main

sys.exit(main())
