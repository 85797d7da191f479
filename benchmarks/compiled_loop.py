"""The same algorithm as :mod:`ctho.crossing`, written as a plain loop and compiled by numba."""

import numpy as np
from numba import njit

CYCLE_ROUNDING = 8 * np.finfo(np.float64).eps


@njit(cache=False)
def solve_all(handover_s, context_tok, rate, slope, offset, cycle_s):
    """V(L*) and L* of every instance: insertion sort, climb to the crossing, Lindley."""
    count, num_ues = handover_s.shape
    delay, length = np.empty(count), np.empty(count)
    tau, service = np.empty(num_ues), np.empty(num_ues)
    for n in range(count):
        for i in range(num_ues):
            time, work = handover_s[n, i], context_tok[n, i] / rate[n]
            place = i
            while place > 0 and tau[place - 1] > time:
                tau[place], service[place] = tau[place - 1], service[place - 1]
                place -= 1
            tau[place], service[place] = time, work
        quotient = tau[num_ues - 1] / cycle_s
        nearest = np.rint(quotient)
        if abs(quotient - nearest) > CYCLE_ROUNDING * abs(quotient):
            nearest = np.ceil(quotient)
        wait = max(nearest * cycle_s, tau[num_ues - 1]) - tau[0]
        link_time = climb(tau, service, wait + offset, slope * rate[n])
        length[n] = link_time * rate[n]
        worst, current = 0.0, 0.0
        for k in range(num_ues):
            if k > 0:
                current = max(current - (tau[k] - tau[k - 1]), 0.0)
            current += max(service[k] - link_time, 0.0)
            worst = max(worst, current)
        delay[n] = max(worst, wait + offset + slope * length[n]) if link_time > 0 else worst
    return delay, length


@njit(cache=False)
def climb(tau, service, wait, slope):
    """The smallest l >= 0 with D*_tx(l) <= wait + slope l, as in ctho.crossing."""
    length = 0.0
    while True:
        value, active, best = 0.0, 0.0, -np.inf
        for k in range(tau.size):
            if k > 0:
                value -= tau[k] - tau[k - 1]
            if value <= active * length:
                value, active = 0.0, 0.0
            if service[k] > length:
                value += service[k]
                active += 1.0
            if slope + active > 0:
                best = max(best, (value - wait) / (slope + active))
        if best <= length:
            return length
        length = best
