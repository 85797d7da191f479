"""The browser check is tested where there is a browser; `make check-site` does not run without."""

import os
import shutil

from ctho.publishing.browser_check import BROWSERS

_THERE = os.environ.get("CHROMIUM") or any(map(shutil.which, BROWSERS))
collect_ignore = [] if _THERE else ["test_browser_check.py"]
