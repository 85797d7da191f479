"""One refusal for all bad input: which field, what value, what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MISSING",
    "InputError",
    "check_array",
    "check_choice",
    "check_integer",
    "check_keys",
    "check_number",
    "check_per_instance",
    "check_users",
]

_SHOWN_CHARACTERS = 60
"""A refused value longer than this is shortened, so that the sentence stays one line."""


class _Missing:
    """The value of a field that is not there; it reads as the word itself, without quotes."""

    def __repr__(self) -> str:
        return "missing"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class InputError(ValueError):
    """The input is wrong; the message is one sentence for the person who wrote it.

    The command line turns it into exit status 2.

    >>> str(InputError("cycle_s", -1, "a number above 0"))
    'cycle_s is -1, but must be a number above 0'
    """

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        self.field = field
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field} is {_shown(value)}, but must be {allowed}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, Any, str]]:
        # Exceptions are rebuilt from `args`, which holds the sentence alone; worker
        # processes need the three parts.
        return type(self), (self.field, self.value, self.allowed)

    def within(self, place: str) -> InputError:
        """The same refusal, with `place` put before the field's name."""
        return InputError(f"{place}{self.field}", self.value, self.allowed)


def check_number(
    field: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
) -> float:
    """Return `value` as a float, or refuse it with the bounds in words.

    Booleans, strings, NaN and infinities are refused.

    Raises:
        InputError: `value` is not a finite number within the bounds.
    """
    allowed = _range_in_words("a finite number", above, at_least, at_most, below)
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InputError(field, value, allowed)
    try:
        number = float(value)
    except OverflowError:
        raise InputError(field, value, allowed) from None
    inside = (
        math.isfinite(number)
        and (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (at_most is None or number <= at_most)
        and (below is None or number < below)
    )
    if not inside:
        raise InputError(field, value, allowed)
    return number


def check_integer(
    field: str, value: Any, *, at_least: int | None = None, at_most: int | None = None
) -> int:
    """Return `value` as an int (4.0 counts as 4), or refuse it.

    Raises:
        InputError: `value` is not a whole number within the bounds.
    """
    allowed = _range_in_words("a whole number", None, at_least, at_most, None)
    try:
        number = check_number(field, value, at_least=at_least, at_most=at_most)
    except InputError:
        raise InputError(field, value, allowed) from None
    if number != math.floor(number):
        raise InputError(field, value, allowed)
    return int(value)


def check_array(
    field: str,
    values: ArrayLike,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> NDArray[np.float64]:
    """Return `values` as a float array; refuse the first entry that is out of bounds by its index.

    Raises:
        InputError: not rectangular, not numbers, not finite, or out of bounds.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(field, values, "a rectangular array of numbers") from None
    if array.dtype.kind not in "iuf":
        array = _numbers_of(field, values)
    array = array.astype(np.float64)
    bad = ~np.isfinite(array)
    if above is not None:
        bad |= ~(array > above)
    if at_least is not None:
        bad |= ~(array >= at_least)
    if at_most is not None:
        bad |= ~(array <= at_most)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        allowed = _range_in_words("a finite number", above, at_least, at_most, None)
        raise InputError(_indexed(field, index), array[index].item(), allowed)
    return array


def check_users(
    handover_s: ArrayLike, field: str, tokens: ArrayLike, *, at_least: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return handover times and tokens as arrays `[..., K]` of one shape, one number a user each.

    Leading axes broadcast; the user axis does not, as a single number for all users is more
    likely a mistake.

    Args:
        handover_s: tau_i, seconds.
        field: name of the tokens.
        tokens: tokens of each user.
        at_least: the fewest tokens allowed.

    Raises:
        InputError: no users, numbers of users that differ, or a number out of bounds.
    """
    times = check_array("handover_s", handover_s)
    amounts = check_array(field, tokens, at_least=at_least)
    if times.ndim == 0 or times.shape[-1] == 0:
        raise InputError("handover_s", handover_s, "a list of at least one handover time")
    if amounts.ndim == 0 or amounts.shape[-1] != times.shape[-1]:
        given = amounts.shape[-1] if amounts.ndim else "a single number"
        expected = f"that of handover_s, {times.shape[-1]}"
        raise InputError(f"the number of entries of {field}", given, expected)
    try:
        shape = np.broadcast_shapes(times.shape, amounts.shape)
    except ValueError:
        shapes = (times.shape, amounts.shape)
        allowed = "[..., K] with the same leading axes"
        raise InputError(f"the shapes of handover_s and {field}", shapes, allowed) from None
    return np.broadcast_to(times, shape), np.broadcast_to(amounts, shape)


def check_per_instance(
    field: str,
    values: ArrayLike,
    batch_shape: tuple[int, ...],
    *,
    above: float | None = None,
    at_least: float | None = None,
) -> NDArray[np.float64]:
    """Return `values` as an array with one number for each instance, `[...]`.

    Raises:
        InputError: a shape that does not broadcast to `batch_shape`, or a number out of bounds.
    """
    array = check_array(field, values, above=above, at_least=at_least)
    try:
        return np.broadcast_to(array, batch_shape)
    except ValueError:
        allowed = f"a single number or {batch_shape}, that of the instances"
        raise InputError(f"the shape of {field}", array.shape, allowed) from None


def check_choice(field: str, value: Any, known: Collection[str]) -> str:
    """Return `value` if it is one of `known`, or refuse it and name the nearest one.

    Raises:
        InputError: `value` is not in `known`.
    """
    if isinstance(value, str) and value in known:
        return value
    raise InputError(field, value, f"one of {', '.join(known)}{_nearest(value, known)}")


def check_keys(
    field: str, mapping: Any, known: Collection[str], required: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Return `mapping` if it has all `required` keys and none but `known`.

    Raises:
        InputError: not a mapping, a key that is not known, or one that is missing.
    """
    if not isinstance(mapping, Mapping):
        raise InputError(field, mapping, f"an object with the keys {', '.join(known)}")
    for key in mapping:
        if key not in known:
            raise InputError(
                f"a key of {field}", key, f"one of {', '.join(known)}{_nearest(key, known)}"
            )
    for key in required:
        if key not in mapping:
            raise InputError(f"{field}.{key}", MISSING, "given")
    return mapping


def _numbers_of(field: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check entry by entry what NumPy does not see as numbers, as the first wrong one is named."""
    entries = np.asarray(values, dtype=object)
    numbers = np.empty(entries.shape)
    for index, entry in np.ndenumerate(entries):
        numbers[index] = check_number(_indexed(field, index), entry)
    return numbers


def _indexed(field: str, index: tuple[int, ...]) -> str:
    return f"{field}[{', '.join(map(str, index))}]" if index else field


def _range_in_words(
    noun: str,
    above: float | None,
    at_least: float | None,
    at_most: float | None,
    below: float | None,
) -> str:
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (
            ("above", above),
            ("at least", at_least),
            ("at most", at_most),
            ("below", below),
        )
        if bound is not None
    ]
    return " ".join([noun, " and ".join(bounds)]).strip()


def _nearest(value: Any, known: Collection[str]) -> str:
    by_lower_case = {word.lower(): word for word in known}
    near = difflib.get_close_matches(str(value).lower(), by_lower_case, n=1)
    return f" (did you mean {by_lower_case[near[0]]}?)" if near else ""


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split()) if not isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."
