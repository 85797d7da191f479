"""The parameters under which the page is read, and what it must say, found without the package.

The link is simulated user by user, the crossing bracketed, the averages taken over own draws.
"""

import numpy as np
from scipy.optimize import brentq

from ctho import solve
from ctho.simulation import Parameters, sample_handovers

SMALL = {"realisations": 200, "check_instances": 2}
SETS = {
    "default": SMALL,
    "one user": {
        **SMALL,
        "handover_s": [0.3],
        "context_tok": [3000],
        "num_ues": 1,
        "length_step_tok": 16.0,
        "backhaul_gbps_values": [2.0],
        "restriction_gbps_values": [2.0],
        "check_instances": 1,
    },
    "no batch": {
        **SMALL,
        "backhaul_gbps": 1e5,
        "backhaul_gbps_values": [10.0, 3.0],
        "restriction_gbps_values": [],
    },
    "all at once": {
        **SMALL,
        "handover_s": [0.0, 0.0, 0.0],
        "context_tok": [3000, 3000, 800],
        "cycle_s": 0.5,
        "length_step_tok": 16.0,
        "backhaul_gbps_values": [4.5, 50.0],
        "restriction_gbps_values": [0.5],
        "start_min_m": 129.0,
        "start_max_m": 129.0,
    },
}


def parameters_of(given, **changes):
    names = {"realisations", "num_ues", "backhaul_gbps", "cycle_s", "start_min_m", "start_max_m"}
    return Parameters(**{name: given[name] for name in names & set(given)}, **changes)


def worst_delay_s(tau, work):
    """The largest transfer delay of users served one after the other as they come."""
    free, worst = -np.inf, 0.0
    for arrival, load in sorted(zip(tau, work, strict=True), key=lambda user: user[0]):
        if load > 0:
            free = max(free, arrival) + load
            worst = max(worst, free - arrival)
    return worst


class One:
    """The instance of the page, from its lists."""

    def __init__(
        self,
        handover_s=(1.03, 1.13, 1.24, 1.25),
        context_tok=(2100, 1200, 1200, 5100),
        length_step_tok=1.0,
        backhaul_gbps=4.5,
        cycle_s=0.01,
        **_,
    ):
        self.tau, self.context = np.array(handover_s), np.array(context_tok, float)
        self.step, self.a = length_step_tok, 9.4267e-5
        self.rate = backhaul_gbps * 1e9 / 458_752
        start = np.ceil(round(self.tau.max() / cycle_s, 6)) * cycle_s
        self.wait = start + 2.4e-3 - self.tau.min()

    def transfer(self, length):
        return worst_delay_s(self.tau, np.maximum(self.context - length, 0) / self.rate)

    def prefill(self, length):
        return self.wait + self.a * length

    def value(self, length):
        return max(self.prefill(length), self.transfer(length)) if length > 0 else self.transfer(0)

    @property
    def crossing(self):
        """L*, 0 where no batch is best."""
        if self.transfer(0) <= self.wait:
            return 0.0
        surplus = lambda length: self.prefill(length) - self.transfer(length)  # noqa: E731
        return brentq(surplus, 0, self.context.max(), xtol=1e-9)


def jump_at(given, gbps):
    """How many instances do without a batch; mean of cHO, of the crossing alone, of the best."""
    drawn = sample_handovers(parameters_of({**given, "backhaul_gbps": gbps}))
    work = drawn.context_tok / drawn.backhaul_tok_per_s[:, np.newaxis]
    cho = np.array([worst_delay_s(*pair) for pair in zip(drawn.handover_s, work, strict=True)])
    wait = drawn.batch_start_s + 2.4e-3 - drawn.handover_s.min(axis=1)
    best = solve(drawn).delay_s
    return (cho <= wait).sum(), cho.mean(), np.where(cho <= wait, wait, best).mean(), best.mean()


def rates_of(given):
    default = [2.0, 3.0, 4.5, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0]
    return sorted(given.get("backhaul_gbps_values", default))
