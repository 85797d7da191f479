"""No property fails for being slow: the first example pays for imports, and machines differ.

The same examples are tried in every run, so that a test that passed for one reader passes for the
next.
"""

from hypothesis import settings

settings.register_profile("ctho", deadline=None, derandomize=True)
settings.load_profile("ctho")
