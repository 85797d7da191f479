"""No property fails for being slow: the first example pays for imports, and machines differ."""

from hypothesis import settings

settings.register_profile("ctho", deadline=None)
settings.load_profile("ctho")
