"""Every refusal is one sentence that names the field, the value and what is allowed."""

import math
import pickle

import numpy as np
import pytest

from ctho.checks import (
    InputError,
    check_array,
    check_choice,
    check_integer,
    check_keys,
    check_number,
)


@pytest.mark.parametrize("value", ["4", None, True, np.True_, [1], 1j, math.nan, math.inf, 10**400])
def test_numbers_that_are_none(value):
    with pytest.raises(InputError, match=r"^rate is .*, but must be a finite number"):
        check_number("rate", value)


@pytest.mark.parametrize(
    ("bounds", "value", "words"),
    [
        ({"above": 0}, 0, "above 0"),
        ({"at_least": 1}, 0.5, "at least 1"),
        ({"at_most": 2}, 3, "at most 2"),
        ({"below": 2}, 2, "below 2"),
        ({"above": 0, "below": 1}, 1, "above 0 and below 1"),
    ],
)
def test_bounds_stand_in_the_sentence(bounds, value, words):
    with pytest.raises(InputError, match=f"rate is {value}, but must be a finite number {words}"):
        check_number("rate", value, **bounds)


def test_numpy_scalars_and_integers_are_numbers():
    assert check_number("rate", np.float32(0.5)) == 0.5
    assert check_integer("users", np.int64(4)) == 4
    assert check_integer("users", 4.0) == 4


def test_a_fraction_is_no_whole_number():
    with pytest.raises(InputError, match=r"users is 1\.5, but must be a whole number at least 1"):
        check_integer("users", 1.5, at_least=1)


def test_large_integers_stay_exact():
    assert check_integer("seed", 2**63 + 1) == 2**63 + 1


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0, math.nan], r"tau\[1\] is nan"),
        ([1.0, "a"], r"tau\[1\] is 'a'"),
        (["1.0", 2.0], r"tau\[0\] is '1.0'"),
        ([True, False], r"tau\[0\] is True"),
        ([[1.0, 2.0], [3.0]], r"tau is \[\[1.0, 2.0\], \[3.0\]\], but must be a rectangular"),
        ([None], r"tau\[0\] is None"),
        ([[1.0, math.inf]], r"tau\[0, 1\] is inf"),
    ],
)
def test_arrays_name_the_first_wrong_entry(values, sentence):
    with pytest.raises(InputError, match=sentence):
        check_array("tau", values)


def test_a_long_value_is_cut():
    with pytest.raises(InputError) as error:
        check_choice("scheme", "x" * 1000, ("ctHO", "tHO"))
    assert len(str(error.value)) < 150


def test_the_nearest_known_word_is_named():
    with pytest.raises(InputError, match=r"one of ctHO, tHO, cHO \(did you mean ctHO\?\)"):
        check_choice("scheme", "ctho", ("ctHO", "tHO", "cHO"))
    with pytest.raises(InputError, match=r"did you mean cycle_s\?"):
        check_keys("the instance", {"cycles": 1}, ("cycle_s", "name"))


def test_a_missing_key_is_named():
    with pytest.raises(InputError, match=r"the instance\.cycle_s is missing, but must be given"):
        check_keys("the instance", {"name": 1}, ("cycle_s", "name"), required=("cycle_s",))


def test_the_word_missing_is_a_value_like_any_other():
    with pytest.raises(InputError, match="cycle_s is 'missing'"):
        check_number("cycle_s", "missing")


@pytest.mark.parametrize("value", [np.array([1, 2]), np.zeros((2, 0)), np.zeros(2, dtype="i4,f8")])
def test_arrays_are_no_numbers(value):
    with pytest.raises(InputError, match="rate is "):
        check_number("rate", value)
    with pytest.raises(InputError, match="scheme is "):
        check_choice("scheme", value, ("ctHO",))


def test_refusals_travel_between_processes():
    error = InputError("rate", -1, "above 0")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.field, copy.value, copy.allowed) == ("rate", -1, "above 0")
