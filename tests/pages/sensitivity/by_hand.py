"""The parameters under which the page is read, and its numbers by solving changed scenarios."""

import numpy as np

from ctho import AffinePrefill, Handover, solve
from ctho.simulation import Parameters, sample_handovers

DEFAULT_RATES = [1.0, 2.0, 3.0, 4.5, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0]
SMALL = {"realisations": 100, "check_instances": 2}
SETS = {
    "default": SMALL,
    # One context takes as long as the batch is waited for: the price has two sides.
    "one user on a kink": {
        **SMALL,
        "handover_s": [0.0],
        "context_tok": [1000],
        "num_ues": 1,
        "kv_bits_per_tok": 500_000,
        "backhaul_gbps": 1.0,
        "prefill_offset_s": 0.5,
        "backhaul_gbps_values": [2.0, 0.5],
    },
    "prefill that is free": {
        **SMALL,
        "backhaul_gbps_values": [3.6],
        "backhaul_gbps": 3.6,
        "prefill_s_per_tok": 0.0,
        "prefill_offset_s": 0.0,
        "check_instances": 1,
    },
    "a fast link": {**SMALL, "backhaul_gbps_values": [30.0], "backhaul_gbps": 20.0},
    "two instances that swap": {
        **SMALL,
        "realisations": 2,
        "num_ues": 2,
        "prefill_s_per_tok": 1e-6,
        "prefill_offset_s": 0.5,
        "seed": 7,
        "cycle_s": 0.5,
        "backhaul_gbps_values": np.geomspace(0.1, 100, 13).round(2).tolist(),
    },
}

LISTS = {"handover_s": [1.03, 1.13, 1.24, 1.25], "context_tok": [2100, 1200, 1200, 5100]}
PARAMETERS = set(Parameters().as_dict())
STEP = 1e-5


def parameters_of(given):
    return Parameters(**{name: value for name, value in given.items() if name in PARAMETERS})


def rates_of(given):
    rates = given.get("backhaul_gbps_values", DEFAULT_RATES)
    return sorted({*rates, given.get("backhaul_gbps", 4.5)})


class Worth:
    """What the page calls worth at one link rate, from scenarios drawn and solved again."""

    def __init__(self, given, gbps):
        self.parameters = p = parameters_of(given).replace(backhaul_gbps=gbps)
        self.delay_s = self.solved().delay_s
        self.link_ms = self.fall_ms(backhaul_gbps=gbps * (1 + STEP)) / STEP
        self.gpu_ms = self.faster_gpu_ms(1 + STEP) / STEP
        self.wait_ms = 1e3 * self.delay_s - self.link_ms - self.gpu_ms
        self.one_gbps_ms = self.fall_ms(backhaul_gbps=gbps + 1)
        self.link_10_ms = self.fall_ms(backhaul_gbps=1.1 * gbps)
        self.gpu_10_ms = self.faster_gpu_ms(1.1)
        self.share = -self.fall_ms(prefill_offset_s=p.prefill_offset_s + 1e-7) / 1e-4
        self.no_batch = self.solved().prefill_length_tok == 0

    def solved(self, **changes):
        return solve(sample_handovers(self.parameters.replace(**changes)))

    def fall_ms(self, **changes):
        return 1e3 * (self.delay_s - self.solved(**changes).delay_s)

    def faster_gpu_ms(self, factor):
        p = self.parameters
        return self.fall_ms(
            prefill_s_per_tok=p.prefill_s_per_tok / factor,
            prefill_offset_s=p.prefill_offset_s / factor,
        )

    @property
    def surplus_ms(self):
        """By how much a per cent of link is worth more than one of GPU; rounding counts as none."""
        surplus = float((self.link_ms - self.gpu_ms).mean()) / 100
        return surplus if abs(surplus) > 1e-6 else 0.0


def half_width(samples):
    return 1.96 * np.std(samples, ddof=1) / np.sqrt(len(samples))


class OneInstance:
    """The instance of the page, and how its least delay moves with R, a and b."""

    def __init__(self, given):
        p, lists = parameters_of(given), {**LISTS, **given}
        self.values = np.array([p.backhaul_tok_per_s, p.prefill_s_per_tok, p.prefill_offset_s])
        self.users = lists["handover_s"], lists["context_tok"]
        self.cycle_s = p.cycle_s

    def delay_s(self, values):
        rate, slope, offset = values
        model = AffinePrefill(slope, offset)
        return float(solve(Handover(*self.users, rate, model, self.cycle_s)).delay_s)

    def slope(self, which, side):
        """The derivative in R, a or b to the left (-1) or to the right (1); NaN below 0."""
        step = np.zeros(3)
        step[which] = side * [1e-5 * self.values[0], 1e-9, 1e-5][which]
        if (self.values + step < 0).any():
            return float("nan")
        by = step[which]
        return (self.delay_s(self.values + step) - self.delay_s(self.values)) / by
