"""The parameters of the paper's simulations: defaults, units, bounds (Section IV-A)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctho.backhaul import backhaul_tok_per_s
from ctho.checks import MISSING, InputError, check_choice, check_integer, check_keys, check_number
from ctho.prefill import PREFILL_MODELS, PrefillModel, prefill_from_mapping
from ctho.solution import Reading
from ctho.streaming import RadioLink

__all__ = ["GROUPS", "Parameters"]

PREFILL_FIELDS = {
    name: {(key if key.startswith("prefill_") else f"prefill_{key}"): key for key in kind.keys}
    for name, kind in PREFILL_MODELS.items()
}
"""For each prefill model the parameters that it takes, and what the model itself calls them."""

GROUPS: dict[str, tuple[str, ...]] = {
    "users": ("num_ues", "context_min_tok", "context_max_tok"),
    "batch": ("cycle_s",),
    "link": ("backhaul_gbps", "kv_bits_per_tok"),
    "prefill": (
        "prefill_model",
        "prefill_s_per_tok",
        "prefill_offset_s",
        "prefill_s_per_tok_per_ue",
        "prefill_s_per_tok2",
        "prefill_s_per_tok2_per_ue",
        "prefill_file",
    ),
    "road": ("start_min_m", "start_max_m", "speed_mps", "boundary_m"),
    "radio": (
        "bs_distance_m",
        "generated_tok",
        "bandwidth_hz",
        "token_bits",
        "snr_ref_db",
        "snr_ref_m",
        "pathloss_exponent",
    ),
    "reading": ("transfer", "zero_length", "tho_length"),
    "sampling": ("realisations", "seed"),
}
"""The parameters by what they describe; a page says by group which ones play a part on it."""

THO_LENGTHS = ("longest_context", "context_max")

# Far beyond any use, so that a slip of the keyboard is a sentence and not an overflow.
MOST_UES = 1_000_000
MOST_REALISATIONS = 100_000_000
LONGEST_TOK = 1_000_000_000


def _real(default: float, symbol: str, what: str, **bounds: float) -> Any:
    return field(default=default, metadata={"symbol": symbol, "what": what, "bounds": bounds})


def _whole(default: int, symbol: str, what: str, **bounds: int) -> Any:
    metadata = {"symbol": symbol, "what": what, "bounds": bounds, "whole": True}
    return field(default=default, metadata=metadata)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(name, value, "text")
    return value


def _word(default: str, what: str, choices: tuple[str, ...]) -> Any:
    return field(default=default, metadata={"symbol": "", "what": what, "choices": choices})


@dataclass(frozen=True)
class Parameters:
    """One checked set of parameters for every notebook, flag and page.

    The unit stands in the name of each field; the defaults are those of Section IV-A.
    `context_max_tok` is not stated in the paper and is inferred from the mean context
    of 3072 tokens that it quotes.

    Raises:
        InputError: a value out of bounds, or bounds that cross.

    >>> Parameters(num_ues=12).num_ues
    12
    >>> Parameters(cycle_s=0)
    Traceback (most recent call last):
    ...
    ctho.checks.InputError: cycle_s is 0, but must be a finite number above 0
    """

    num_ues: int = _whole(4, "K", "users", at_least=1, at_most=MOST_UES)
    context_min_tok: int = _whole(1024, "", "shortest context", at_least=1, at_most=LONGEST_TOK)
    context_max_tok: int = _whole(5120, "C_max", "longest context", at_least=1, at_most=LONGEST_TOK)
    cycle_s: float = _real(0.01, "T_c", "batch prefill cycle", above=0)
    backhaul_gbps: float = _real(4.5, "R_bh", "backhaul rate", above=0)
    kv_bits_per_tok: float = _real(458_752, "s_KV", "KV cache per token", above=0)
    prefill_model: str = _word("affine", "form of p(L)", tuple(PREFILL_FIELDS))
    prefill_s_per_tok: float = _real(9.4267e-5, "a", "prefill time per token", at_least=0)
    prefill_offset_s: float = _real(2.4e-3, "b", "prefill time per batch", at_least=0)
    prefill_s_per_tok_per_ue: float = _real(0, "", "prefill time per token and user", at_least=0)
    prefill_s_per_tok2: float = _real(0, "", "attention's time per squared token", at_least=0)
    prefill_s_per_tok2_per_ue: float = _real(
        0, "", "attention's time per squared token and user", at_least=0
    )
    prefill_file: str = field(default="", metadata={"symbol": "", "what": "measured profile"})
    start_min_m: float = _real(120, "", "nearest start")
    start_max_m: float = _real(130, "", "farthest start")
    speed_mps: float = _real(20, "v", "speed", above=0)
    boundary_m: float = _real(150, "x_b", "cell boundary")
    bs_distance_m: float = _real(300, "D_bs", "distance between base stations", above=0)
    generated_tok: float = _real(1024, "G", "tokens streamed after the handover", above=0)
    bandwidth_hz: float = _real(2e6, "W", "radio bandwidth", above=0)
    token_bits: float = _real(12, "s_tok", "bits per token on the air", above=0)
    snr_ref_db: float = _real(10, "gamma_ref", "SNR at the reference distance", at_least=-300)
    snr_ref_m: float = _real(20, "d_ref", "reference distance", above=0)
    pathloss_exponent: float = _real(3.5, "alpha", "path loss exponent", above=1)
    transfer: str = _word("exact", "form of the transfer delay", ("exact", "printed"))
    zero_length: str = _word(
        "skips_batch", "what L = 0 waits for", ("skips_batch", "waits_for_batch")
    )
    tho_length: str = _word("longest_context", "what tHO pads to", THO_LENGTHS)
    realisations: int = _whole(
        20_000, "", "Monte Carlo realisations", at_least=2, at_most=MOST_REALISATIONS
    )
    seed: int = _whole(20_260_328, "", "seed of all random numbers", at_least=0)

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            meta = spec.metadata
            if "choices" in meta:
                checked: Any = check_choice(spec.name, value, meta["choices"])
            elif isinstance(spec.default, str):
                checked = _text(spec.name, value)
            elif meta.get("whole"):
                checked = check_integer(spec.name, value, **meta["bounds"])
            else:
                checked = check_number(spec.name, value, **meta["bounds"])
            object.__setattr__(self, spec.name, checked)
        self._check_prefill()
        self._check_order("context_min_tok", "context_max_tok")
        self._check_order("start_min_m", "start_max_m")
        self._check_order("start_max_m", "boundary_m")

    @classmethod
    def from_names(cls, names: Mapping[str, Any]) -> Parameters:
        """Pick the parameters out of a notebook's names; those not there keep the default.

        >>> Parameters.from_names({"num_ues": 2, "backhaul_gbps_values": [1, 2]}).num_ues
        2
        """
        known = {spec.name for spec in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in names.items() if name in known})

    def replace(self, **changes: Any) -> Parameters:
        """The same parameters with some changed.

        Raises:
            InputError: a name that is not a parameter, or a value out of bounds.
        """
        check_keys("Parameters", changes, [spec.name for spec in dataclasses.fields(self)])
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Every parameter by name."""
        return dataclasses.asdict(self)

    @property
    def backhaul_tok_per_s(self) -> float:
        """R = R_bh / s_KV, tokens per second."""
        return float(backhaul_tok_per_s(self.backhaul_gbps, self.kv_bits_per_tok))

    @property
    def prefill(self) -> PrefillModel:
        """The batch prefill delay model that `prefill_model` names."""
        names = PREFILL_FIELDS[self.prefill_model].items()
        values = {key: getattr(self, name) for name, key in names if hasattr(self, name)}
        return prefill_from_mapping({"model": self.prefill_model, **values})

    @property
    def radio_link(self) -> RadioLink:
        """The wireless link of Eqs. (28) and (29)."""
        return RadioLink(
            bandwidth_hz=self.bandwidth_hz,
            token_bits=self.token_bits,
            snr_ref_db=self.snr_ref_db,
            snr_ref_m=self.snr_ref_m,
            pathloss_exponent=self.pathloss_exponent,
        )

    @property
    def reading(self) -> Reading:
        """How the open points of the paper are read."""
        padded = float(self.context_max_tok) if self.tho_length == "context_max" else None
        return Reading(self.transfer, self.zero_length, padded)

    def _check_prefill(self) -> None:
        # A coefficient that the model does not take would silently do nothing.
        paper = PREFILL_FIELDS["affine"]
        for name in sorted({name for names in PREFILL_FIELDS.values() for name in names}):
            value = getattr(self, name, None)
            if value and name not in {**paper, **PREFILL_FIELDS[self.prefill_model]}:
                takers = [model for model, names in PREFILL_FIELDS.items() if name in names]
                allowed = f"left out unless prefill_model is {' or '.join(takers)}"
                raise InputError(name, value, allowed)
        if self.prefill_model == "profile" and not self.prefill_file:
            raise InputError("prefill_file", MISSING, "given with prefill_model = profile")

    def _check_order(self, low: str, high: str) -> None:
        if getattr(self, low) > getattr(self, high):
            allowed = f"at most {high}, {getattr(self, high):g}"
            raise InputError(low, getattr(self, low), allowed)
