"""How one number of the cache is stored: plain types, and integers in groups with scales."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctho.checks import InputError, check_choice, check_integer

__all__ = ["ELEMENT_TYPES", "ElementType", "element_type"]


@dataclass(frozen=True)
class ElementType:
    """Storage of one element, with the metadata of its group where the format has one.

    A vector of n elements (one head of one token) takes

        n * bits + ceil(n / group_size) * (scale_bits + zero_bits)    bits.

    Attributes:
        name: as written on the command line.
        bits: bits of one element.
        group_size: elements that share a scale and a zero point; None for no metadata.
        scale_bits: bits of a group's scale.
        zero_bits: bits of a group's zero point; 0 for a symmetric format.

    Raises:
        InputError: a number that is not whole or out of bounds.

    >>> element_type("bf16").vector_bits(128)
    2048
    >>> element_type("int4-g64").vector_bits(128)  # 128 * 4 + 2 * (16 + 16)
    576
    """

    name: str
    bits: int
    group_size: int | None = None
    scale_bits: int = 0
    zero_bits: int = 0

    def __post_init__(self) -> None:
        check_integer("bits", self.bits, at_least=1, at_most=64)
        if self.group_size is not None:
            check_integer("group_size", self.group_size, at_least=1)
        for name in ("scale_bits", "zero_bits"):
            check_integer(name, getattr(self, name), at_least=0, at_most=64)

    @property
    def quantised(self) -> bool:
        """Whether the type is an integer code or narrower than 16 bits."""
        return self.bits < 16

    def vector_bits(self, num_elements: int) -> int:
        """Bits of a vector of `num_elements`, its groups' metadata included."""
        groups = -(-num_elements // self.group_size) if self.group_size else 0
        return num_elements * self.bits + groups * (self.scale_bits + self.zero_bits)

    def vector_formula(self, num_elements: int) -> str:
        """The same sum in words, such as ``128 * 4 + 2 * (16 + 16) bits``."""
        text = f"{num_elements} * {self.bits}"
        if self.group_size:
            groups = -(-num_elements // self.group_size)
            text += f" + {groups} * ({self.scale_bits} + {self.zero_bits})"
        return text


ELEMENT_TYPES = {
    element.name: element
    for element in (
        ElementType("fp32", 32),
        ElementType("bf16", 16),
        ElementType("fp16", 16),
        ElementType("fp8", 8),
        ElementType("int8", 8),
        ElementType("int4", 4),
        ElementType("int2", 2),
    )
}
"""The plain types. fp8 keeps one scale per tensor at most, which no token adds to."""

_GROUPED = re.compile(r"(int[248])-g(\d{1,6})(?:-s(\d{1,2}))?(?:-z(\d{1,2}))?", re.ASCII)
_DEFAULT_METADATA_BITS = 16
_ALLOWED = (
    ", ".join(ELEMENT_TYPES)
    + ", or int8, int4 and int2 in groups such as int4-g64 (16-bit scale and "
    "zero point) or int4-g64-s32-z0 (32-bit scale, none)"
)


def element_type(name: str, field: str = "dtype") -> ElementType:
    """The type called `name`: a plain one, or ``int4-g64`` and the like.

    ``int4-gG-sS-zZ`` is 4-bit codes in groups of G elements with a scale of S bits and a
    zero point of Z bits; S and Z are 16 where they are left out.

    Raises:
        InputError: another name, or a group of no elements.

    >>> element_type("int8-g32-s16-z0").vector_bits(64)  # 64 * 8 + 2 * 16
    544
    """
    if isinstance(name, str) and name in ELEMENT_TYPES:
        return ELEMENT_TYPES[name]
    match = _GROUPED.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        if isinstance(name, str) and "-g" not in name:
            check_choice(field, name, (*ELEMENT_TYPES, "int4-g64", "int8-g64"))
        raise InputError(field, name, _ALLOWED)
    base, group, scale, zero = match.groups()
    if int(group) == 0:
        raise InputError(field, name, "a type whose groups hold at least 1 element")
    metadata = [_DEFAULT_METADATA_BITS if part is None else int(part) for part in (scale, zero)]
    return ElementType(name, ELEMENT_TYPES[base].bits, int(group), *metadata)
