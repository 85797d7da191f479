from ctho import AffinePrefill, Handover, solve
from ctho.pages.proposition1.statements import optimum_in_words
from ctho.proofs.rate_program import joint_optimum_by_rates
from ctho.proofs.window_program import Optimum


def test_the_joint_optimum_is_the_same_or_said_not_to_be():
    h = Handover([0.0], [3072], 9809.222, AffinePrefill())
    best = solve(h)
    assert "finds the same" in optimum_in_words(best, joint_optimum_by_rates(h))
    assert "finds another" in optimum_in_words(best, Optimum(0.1, 0.0))
    fast = Handover([0.0, 1.0], [100, 800], 1e6, AffinePrefill())
    assert "without a batch" in optimum_in_words(solve(fast), joint_optimum_by_rates(fast))
