"""Figures 3 and 4 with D*_tx as Proposition 2 prints it and as it is, side by side.

Three forms of one scheme. "exact" plans with the exact delay and reports it. "printed" plans
with Eq. (18) and reports what Eq. (18) promises. "printed plan, true delay" takes the prefill
length that Eq. (18) leads to and reports the delay that its users meet.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ctho.checks import InputError, check_choice
from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.simulate import NO_HANDOVER, Samples, total_delay_samples
from ctho.simulation.statistics import mean_estimate, ratio_estimate
from ctho.simulation.sweeps import FIGURE_SWEEPS, Sweep
from ctho.solution import Reading, delay_at_length
from ctho.solver import solve
from ctho.streaming import total_delay_s

__all__ = ["compare_forms", "largest_differences", "place", "scheme_orders"]

ESTIMATES = ["mean", "ci_low", "ci_high", "excess", "excess_low", "excess_high"]
ESTIMATES += ["ratio", "ratio_low", "ratio_high"]


def compare_forms(parameters: Parameters, names: Sequence[str]) -> pd.DataFrame:
    """Every scheme at every point of the sweeps under each form.

    All forms see the same realisations, so the differences are paired.

    Args:
        parameters: everything that is not swept; its own `transfer` plays no part.
        names: sweeps of :data:`ctho.simulation.sweeps.SWEEPS`, each taken once.

    Returns:
        One row for each (figure, x, scheme, form): mean, ci_low, ci_high (seconds); excess,
        excess_low, excess_high, by what share the mean is above the printed one; ratio,
        ratio_low, ratio_high, the mean over that of ctHO in the same form.

    Raises:
        InputError: no names, or one that is no sweep.
    """
    if not len(names):
        raise InputError("figures", list(names), f"a list of some of {', '.join(FIGURE_SWEEPS)}")
    rows = []
    for name in dict.fromkeys(names):
        sweep = FIGURE_SWEEPS[check_choice("figures", name, FIGURE_SWEEPS)]
        for x in sweep.values:
            samples = _samples(sweep, sweep.point(parameters, x))
            printed = samples["printed"]
            for form, by_scheme in samples.items():
                for scheme, delay in by_scheme.items():
                    excess = np.array(ratio_estimate(delay, printed[scheme])) - 1
                    ratio = ratio_estimate(delay, by_scheme["ctHO"])
                    rows.append((name, x, scheme, form, *mean_estimate(delay), *excess, *ratio))
    return pd.DataFrame(rows, columns=["figure", "x", "scheme", "form", *ESTIMATES])


def largest_differences(comparison: pd.DataFrame) -> pd.DataFrame:
    """The point of each figure, scheme and form that is farthest above the printed form.

    Schemes that transfer nothing are left out: all their forms are one.
    """
    transfers = comparison["scheme"].isin(("ctHO", "cHO"))
    others = comparison[transfers & (comparison["form"] != "printed")]
    at = others.groupby(["figure", "scheme", "form"], sort=False)["excess"].idxmax()
    return others.loc[at].reset_index(drop=True)


def scheme_orders(comparison: pd.DataFrame) -> pd.DataFrame:
    """The three handover schemes from fastest to slowest at every point.

    Returns:
        One row for each (figure, x), the index: columns printed and exact, tuples of schemes; of
        two with the same mean ctHO comes first.
    """
    handed_over = comparison[comparison["scheme"] != NO_HANDOVER]
    ranked = handed_over.sort_values("mean", kind="stable")
    of_form = ranked.groupby(["figure", "x", "form"], sort=False)["scheme"].agg(tuple)
    return of_form.unstack("form")[["printed", "exact"]]


def place(figure: str, x: float) -> str:
    """A point of a sweep as a sentence names it (Markdown).

    >>> place("fig3d", 12)
    'Figure 3(d), $K$ = 12'
    """
    return f"{figure_title(figure)}, {FIGURE_SWEEPS[figure].place.format(x)}"


def figure_title(figure: str) -> str:
    """What the paper calls a figure.

    >>> figure_title("fig3a"), figure_title("fig4")
    ('Figure 3(a)', 'Figure 4')
    """
    return "Figure 4" if figure == "fig4" else f"Figure 3({figure[-1]})"


def _samples(sweep: Sweep, parameters: Parameters) -> dict[str, Samples]:
    """Samples by form and scheme; of the third form for ctHO alone, as cHO and tHO plan nothing."""
    exact, printed = (
        sweep.measure(parameters.replace(transfer=form)) for form in ("exact", "printed")
    )
    # The delay that ctHO's users meet at the length that Eq. (18) leads to.
    handovers = sample_handovers(parameters)
    plan, truth = (Reading(form, parameters.zero_length) for form in ("printed", "exact"))
    length = solve(handovers, reading=plan).prefill_length_tok
    planned = delay_at_length(handovers, length, reading=truth).delay_s
    if sweep.measure is total_delay_samples:
        offset = parameters.boundary_m - parameters.bs_distance_m
        planned = total_delay_s(
            parameters.radio_link, planned, offset, parameters.speed_mps, parameters.generated_tok
        )
    return {"exact": exact, "printed": printed, "printed plan, true delay": {"ctHO": planned}}
