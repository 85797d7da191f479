"""What the solver asks of a scheme."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ctho.handover import Handover
from ctho.solution import Reading, Solution, delay_at_length

__all__ = ["CommonLength", "Scheme", "SchemeStyle"]


@dataclass(frozen=True)
class SchemeStyle:
    """How a scheme is drawn, the same in every figure.

    Attributes:
        colour: of its line, as "#RRGGBB".
        marker: of its points, a letter of matplotlib's.
        dashes: of its line: "-", or matplotlib's (offset, (on, off, ...)).
    """

    colour: str
    marker: str
    dashes: str | tuple[int, tuple[int, ...]]


@runtime_checkable
class Scheme(Protocol):
    """A way to hand over: it turns an instance, or a batch of them, into a solution.

    Attributes:
        name: how tables, figures and commands call it.
        style: how it is drawn.
    """

    name: str
    style: SchemeStyle

    def solve(self, handover: Handover, reading: Reading) -> Solution:
        """Lengths and delays of a batch that fits the cache; :func:`ctho.solver.solve` calls it.

        A scheme with lengths of its own for each user returns a subclass of
        :class:`~ctho.solution.Solution` that says what remains to be sent.
        """
        ...


class CommonLength(ABC):
    """A scheme that prefills one common length L, with the best rate schedule for it."""

    name: str
    style: SchemeStyle

    @abstractmethod
    def length_tok(self, handover: Handover, reading: Reading) -> NDArray[np.float64]:
        """L of each instance, tokens, `[...]`."""

    def solve(self, handover: Handover, reading: Reading) -> Solution:
        """V(L) of Eq. (16) at that length."""
        return delay_at_length(handover, self.length_tok(handover, reading), self.name, reading)
