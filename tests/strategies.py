"""Random handover instances for the property tests."""

from hypothesis import strategies as st

from ctho import AffinePrefill, Handover

finite = {"allow_nan": False, "allow_infinity": False}


@st.composite
def handovers(draw, max_users=8, min_rate=1e2, max_rate=1e6, affine=None):
    """One instance: ties, equal contexts, one token, negative times, slow and fast links."""
    count = draw(st.integers(1, max_users))
    spread = draw(st.sampled_from([0.0, 0.05, 0.5, 3.0]))
    origin = draw(st.sampled_from([0.0, 1.0, -2.0]))
    # Sixteenths make ties and handovers on a cycle boundary likely.
    shifts = st.one_of(
        st.floats(0, 1, **finite), st.integers(0, 16).map(lambda sixteenths: sixteenths / 16)
    )
    tau = [origin + spread * draw(shifts) for _ in range(count)]
    context = [draw(st.one_of(st.just(1), st.integers(1, 8000))) for _ in range(count)]
    rate = 10 ** draw(st.floats(2, 6, **finite))
    rate = min(max(rate, min_rate), max_rate)
    slope = draw(st.one_of(st.just(0.0), st.floats(1e-6, 1e-3, **finite)))
    offset = draw(st.one_of(st.just(0.0), st.floats(1e-4, 0.1, **finite)))
    prefill = affine or AffinePrefill(slope, offset)
    cycle = draw(st.sampled_from([0.001, 0.01, 0.25]))
    return Handover(tau, context, rate, prefill, cycle)
