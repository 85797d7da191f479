"""The sweeps of Figures 3 and 4, declared as data, and one function that runs any of them.

The paper does not print the points of its axes. The ranges here hold every point that it
quotes in the text and the default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from ctho.checks import InputError
from ctho.simulation.parameters import Parameters
from ctho.simulation.simulate import Samples, Schemes, delay_samples, total_delay_samples
from ctho.simulation.statistics import mean_estimate

__all__ = ["FIGURE_SWEEPS", "Sweep", "run_sweep"]


@dataclass(frozen=True)
class Sweep:
    """One figure's sweep.

    Attributes:
        name: the figure, also the name of its table.
        x: the swept quantity, a parameter name or one derived from it.
        label: the x axis in words, with its unit.
        place: a point of it in a sentence, a format of the value.
        values: the points.
        point: parameters at a value of x.
        measure: samples by scheme at given parameters.
        measured: the y axis in words, with its unit.
    """

    name: str
    x: str
    label: str
    place: str
    values: tuple[float, ...]
    point: Callable[[Parameters, float], Parameters]
    measure: Callable[..., Samples] = delay_samples
    measured: str = "Worst-user LLM handover delay (s)"


def run_sweep(
    sweep: Sweep,
    parameters: Parameters,
    values: Sequence[float] | None = None,
    jobs: int = 1,
    schemes: Schemes | None = None,
) -> pd.DataFrame:
    """Estimate every scheme at every point of a sweep.

    Args:
        sweep: an entry of :data:`FIGURE_SWEEPS`.
        parameters: everything that is not swept.
        values: other points than the sweep's own.
        jobs: worker processes; the numbers do not depend on it.
        schemes: other schemes than those of the paper, by name or as objects.

    Returns:
        One row per (x, scheme) with the columns x, scheme, mean, ci_low, ci_high (seconds, 95 %)
        and realisations.

    Raises:
        InputError: no values, or a value that its parameter does not allow.
    """
    points = sweep.values if values is None else tuple(values)
    if not points:
        raise InputError(f"{sweep.x}_values", list(points), "a list of at least one number")
    rows = []
    for x in points:
        chosen = {} if schemes is None else {"schemes": schemes}
        samples = sweep.measure(sweep.point(parameters, x), jobs=jobs, **chosen)
        for scheme, values_s in samples.items():
            rows.append((x, scheme, *mean_estimate(values_s), values_s.size))
    return pd.DataFrame(rows, columns=["x", "scheme", "mean", "ci_low", "ci_high", "realisations"])


def _prefill_speed(parameters: Parameters, x: float) -> Parameters:
    if not x > 0:
        raise InputError("prefill_tok_per_s", x, "a finite number above 0")
    if parameters.prefill_model == "profile":
        allowed = "a model with a speed a, such as affine, where that speed is swept"
        raise InputError("prefill_model", parameters.prefill_model, allowed)
    return parameters.replace(prefill_s_per_tok=1 / x)


def _bs_distance(parameters: Parameters, x: float) -> Parameters:
    # With the boundary fixed at 150 m the no-HO curve could not depend on D_bs, so it is
    # read as the middle between the base stations, 150 m at the default of 300 m.
    return parameters.replace(bs_distance_m=x, boundary_m=x / 2)


FIGURE_SWEEPS: dict[str, Sweep] = {
    sweep.name: sweep
    for sweep in (
        Sweep(
            name="fig3a",
            x="backhaul_gbps",
            label="Backhaul rate $R_{bh}$ (Gbps)",
            place="$R_{{bh}}$ = {:,g} Gbps",
            values=(2, 3, 4, 4.5, 5, 6, 7, 8, 9, 10),
            point=lambda parameters, x: parameters.replace(backhaul_gbps=x),
        ),
        Sweep(
            name="fig3b",
            x="prefill_tok_per_s",
            label="Prefill speed $1/a$ (tokens/s)",
            place="$1/a$ = {:,g} tokens/s",
            values=(5_000, 7_500, 10_000, 12_500, 15_000, 17_500, 20_000),
            point=_prefill_speed,
        ),
        Sweep(
            name="fig3c",
            x="context_max_tok",
            label="Longest context $C_{max}$ (tokens)",
            place="$C_{{max}}$ = {:,g} tokens",
            values=(2_048, 3_072, 4_096, 5_120, 6_144, 7_168, 8_192),
            point=lambda parameters, x: parameters.replace(context_max_tok=x),
        ),
        Sweep(
            name="fig3d",
            x="num_ues",
            label="Number of users $K$",
            place="$K$ = {:,g}",
            values=(2, 4, 6, 8, 10, 12),
            point=lambda parameters, x: parameters.replace(num_ues=x),
        ),
        Sweep(
            name="fig4",
            x="bs_distance_m",
            label="Distance between base stations $D_{bs}$ (m)",
            place="$D_{{bs}}$ = {:,g} m",
            values=(300, 325, 350, 375, 400, 425, 450, 475, 500),
            point=_bs_distance,
            measure=total_delay_samples,
            measured="Worst-user total streaming delay (s)",
        ),
    )
}
"""Every sweep of the paper by figure."""
