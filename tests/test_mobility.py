"""Users on the line network."""

import numpy as np
import pytest

from ctho import InputError, handover_time_s, position_m


def test_the_handover_is_at_the_boundary():
    start = np.array([[120.0, 130.0], [125.0, 150.0]])
    tau = handover_time_s(start, 20.0, 150.0)
    np.testing.assert_allclose(tau, [[1.5, 1.0], [1.25, 0.0]])
    np.testing.assert_allclose(position_m(start, 20.0, tau), 150.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([151.0], 20, 150), "start_m is 151.0, but must be at most boundary_m, 150"),
        (([120.0], 0, 150), "speed_mps is 0"),
        (([np.nan], 20, 150), r"start_m\[0\] is nan"),
    ],
)
def test_what_never_crosses_is_refused(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        handover_time_s(*arguments)
