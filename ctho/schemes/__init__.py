"""Schemes of handover: one small file each, behind one interface.

A module of this package that defines `SCHEME` adds a scheme to :data:`SCHEMES`; nothing else needs
to know of it. A scheme from elsewhere is passed to :func:`ctho.solver.solve` as an object.
"""

from importlib import import_module
from pkgutil import iter_modules

from ctho.schemes.base import CommonLength, Scheme, SchemeStyle

__all__ = ["PAPER_SCHEMES", "SCHEMES", "CommonLength", "Scheme", "SchemeStyle"]

PAPER_SCHEMES = ("ctHO", "tHO", "cHO")
"""What the paper compares, in the order of its figures."""


def _schemes() -> dict[str, Scheme]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    found: dict[str, Scheme] = {m.SCHEME.name: m.SCHEME for m in modules if hasattr(m, "SCHEME")}
    further = sorted(found.keys() - set(PAPER_SCHEMES))
    return {name: found[name] for name in (*PAPER_SCHEMES, *further)}


SCHEMES: dict[str, Scheme] = _schemes()
"""Each scheme by name, the paper's first."""
