"""The paper's experiments: typed parameters, seeded Monte Carlo, sweeps and tidy tables."""

from ctho.simulation.parameters import Parameters
from ctho.simulation.sampling import sample_handovers
from ctho.simulation.simulate import delay_samples, total_delay_samples
from ctho.simulation.statistics import Estimate, mean_estimate, ratio_estimate
from ctho.simulation.sweeps import FIGURE_SWEEPS, Sweep, run_sweep

__all__ = [
    "FIGURE_SWEEPS",
    "Estimate",
    "Parameters",
    "Sweep",
    "delay_samples",
    "mean_estimate",
    "ratio_estimate",
    "run_sweep",
    "sample_handovers",
    "total_delay_samples",
]
