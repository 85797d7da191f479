"""The rate schedule of Section III-B beside other orders of service."""
