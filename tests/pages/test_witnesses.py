"""The checks that the pages print pass on what is right and fail on what is wrong, by a little too.

Every claim is broken on purpose here, most by a part of 1e-5: a witness with room for that, or
one that looks at something else, is found out.
"""

import numpy as np
import pytest

from ctho import Handover
from ctho.pages.proposition1 import witnesses as proposition1
from ctho.pages.proposition2 import witnesses as proposition2
from ctho.pages.rate_schedule import witnesses as rate_schedule
from ctho.pages.system_model import witnesses as system_model
from ctho.proofs.enumerated import WindowTable
from ctho.proofs.event_by_event import Service, serve
from ctho.proofs.instances import random_handovers
from ctho.proofs.witness_table import witness_table

PAGES = {
    system_model: system_model.model_deviations_s,
    proposition1: proposition1.proposition1_deviations_s,
    proposition2: proposition2.proposition2_deviations_s,
    rate_schedule: rate_schedule.schedule_deviations_s,
}
# Times on the wall clock are rounded; on the shortest instances that is 1e-9 of their scale.
ROUNDING = 1e-7
MORE, LESS = 1 + 1e-5, 1 - 1e-5

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.__name__.split(".")[-2])


@pytest.fixture(scope="module")
def drawn():
    return random_handovers(np.random.default_rng(21), 40)


def table_of(page, instances):
    rng = np.random.default_rng(1)
    return witness_table(instances, lambda h: PAGES[page](h, rng))


@each_page
def test_every_claim_holds_on_every_instance(page, drawn):
    table = table_of(page, drawn)
    assert (table["instances"] == len(drawn)).all()
    assert table["worst"].max() < ROUNDING


@each_page
def test_the_same_numbers_come_again(page, drawn):
    first, second = (table_of(page, drawn[:5]) for _ in range(2))
    assert first.equals(second)


def times(page, name, factor):
    """A function of a page's witnesses whose answer is off by a factor."""
    right = getattr(page, name)
    return page, name, lambda *arguments: right(*arguments) * factor


def solving(page, name, **changes):
    """A solver of a page's witnesses some of whose fields are off, each by a function of it."""
    right = getattr(page, name)

    def wrong(*arguments):
        solution = right(*arguments)
        for field, change in changes.items():
            object.__setattr__(solution, field, change(solution))
        return solution

    return page, name, wrong


def fair_but_late(*link):
    """Equal sharing that says that it is done a little later than it is."""
    s = serve(*link)
    late = 1e-5 * (link[3] == "equal sharing") * np.ptp(s.end_s) if s.end_s.size else 0.0
    return Service(s.start_s, s.end_s + late, s.rate_tok_per_s, s.delay_s)


def as_listed(solution):
    """A delay that is worse if the first in the list is not the first to arrive."""
    return solution.delay_s * (MORE if solution.handover.handover_s.argmin() else 1.0)


BREAKS = {
    "the split adds up": times(system_model, "prefilled_tok", MORE),
    "completion by adding up": times(system_model, "transfer_delay_s", MORE),
    "worst user of Eqs. (5)": solving(
        system_model, "delay_at_length", delay_s=lambda s: s.delay_s * MORE
    ),
    "the batch starts at": (
        Handover,
        "batch_start_s",
        property(lambda h: h.handover_s.max() - 1e-3 * h.cycle_s),
    ),
    "the batch starts": (
        Handover,
        "batch_start_s",
        property(lambda h: h.handover_s.max() + 1.001 * h.cycle_s),
    ),
    "the order in which users": solving(system_model, "solve", delay_s=as_listed),
    "slower clock": solving(system_model, "solve", delay_s=lambda s: s.delay_s + 1e-5),
    "finer tokens": solving(
        system_model, "solve", prefill_length_tok=lambda s: s.prefill_length_tok + 0.1
    ),
    "joint optimum": solving(proposition1, "solve", delay_s=lambda s: s.delay_s * MORE),
    "$V(L^\\star)$ is attained": solving(proposition1, "solve", delay_s=lambda s: s.delay_s * LESS),
    "$V(L) \\le D(L, r)$": solving(
        proposition1, "delay_at_length", delay_s=lambda s: s.delay_s * MORE
    ),
    "$V(L^\\star) \\le V(L)$": solving(proposition1, "solve", delay_s=lambda s: s.delay_s * 1.5),
    "least delay by linear program": times(proposition2, "minimum_transfer_delay_s", LESS),
    "earliest deadline first, sim": times(proposition2, "minimum_transfer_delay_s", MORE),
    "largest of all windows": times(proposition2, "minimum_transfer_delay_s", LESS),
    "Carlier's bound": times(proposition2, "subset_bound_s", MORE),
    "horizontal deviation": times(proposition2, "horizontal_deviation_s", MORE),
    "Eq. (18) as printed is never": times(proposition2, "printed_transfer_bound_s", MORE),
    "$T_k = ": (
        WindowTable,
        "user_delay_s",
        property(lambda w: np.nanmax(w.value_s, axis=0) * MORE),
    ),
    "Eq. (18) misses at most": times(proposition2, "printed_transfer_bound_s", LESS),
    "Eq. (18) is exact where": (
        WindowTable,
        "worst_before_idle",
        property(lambda w: bool(w.idle_s[-1] == 0)),
    ),
    "earliest deadline first (Eqs.": times(rate_schedule, "transfer_delay_s", MORE),
    "and serves each user": (
        rate_schedule,
        "serve_by_priority",
        lambda *link: serve(*link[:3], "largest first"),
    ),
    "every deadline": times(rate_schedule, "minimum_transfer_delay_s", LESS),
    "the worst user has": times(rate_schedule, "least_transfer_delay_by_rates", MORE),
    "no other order": times(rate_schedule, "minimum_transfer_delay_s", MORE),
    "every order is done": (rate_schedule, "serve", fair_but_late),
}


def page_of(claim, tables):
    (page,) = (page for page, claims in tables.items() if any(c.startswith(claim) for c in claims))
    return page


@pytest.fixture(scope="module")
def claims(drawn):
    return {page: table_of(page, drawn[:1])["claim"].tolist() for page in PAGES}


def test_every_claim_is_broken_once(claims):
    for claim in (claim for listed in claims.values() for claim in listed):
        assert any(claim.startswith(start) for start in BREAKS), claim


@pytest.mark.parametrize("start", BREAKS)
def test_what_is_wrong_by_a_little_is_reported(start, drawn, claims, monkeypatch):
    monkeypatch.setattr(*BREAKS[start])
    table = table_of(page_of(start, claims), drawn[:16])
    wrong = table[table["claim"].str.startswith(start)]
    assert wrong["worst"].max() > ROUNDING
