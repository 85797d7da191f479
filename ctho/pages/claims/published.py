"""The paper's claims as recorded in `data/published.yaml`, checked when they are read.

An entry names its decision; `decide: mean_near` is the function `mean_near` of the modules
`decide_*.py` beside this one, called with the evidence and the entry's `value` and `given`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ctho.checks import InputError, check_choice, check_keys, check_number
from ctho.data_files import data_path
from ctho.pages.claims import decide_numbers, decide_shapes, decide_theory
from ctho.pages.claims.verdicts import Finding

__all__ = ["DECISIONS", "Claim", "load_claims", "read_yaml"]

PUBLISHED = "published.yaml"

DECISIONS: dict[str, Callable[..., Finding]] = {
    name: getattr(module, name)
    for module in (decide_numbers, decide_shapes, decide_theory)
    for name in module.__all__
}
"""Every decision function; each takes the evidence and, by keyword, what the claim gives."""

REQUIRED = ("id", "place", "claim", "printed", "rule", "decide")
OPTIONAL = ("value", "unit", "given", "missing")


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes:
        id: name of the claim.
        place: section, figure or equation.
        claim: what the paper says, in other words.
        printed: the number and its wording, or the shape, in a few words.
        rule: how the claim is decided, in words.
        value: the printed number, None for a claim about a shape.
        unit: unit of `value`.
        missing: what the paper would have to state where it leaves a claim undecidable.
        decide: key of :data:`DECISIONS`; "" where a build's result was read.
        given: further arguments of the decision function.
    """

    id: str
    place: str
    claim: str
    printed: str
    rule: str
    value: float | None = None
    unit: str = ""
    missing: str = ""
    decide: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_mapping(cls, position: int, entry: Any) -> Claim:
        """One entry of the file.

        Raises:
            InputError: a field that is missing, unknown or of the wrong kind, or arguments that
                do not fit the decision function.
        """
        place = f"claims[{position}]"
        check_keys(place, entry, (*REQUIRED, *OPTIONAL), REQUIRED)
        for name in (*REQUIRED, "unit", "missing"):
            if not isinstance(entry.get(name, ""), str):
                raise InputError(f"{place}.{name}", entry[name], "text")
        given = entry.get("given", {})
        if not isinstance(given, Mapping):
            raise InputError(f"{place}.given", given, "the arguments of the decision by name")
        value = entry.get("value")
        if value is not None:
            value = check_number(f"{place}.value", value)
            given = {"value": value, **given}
        _check_arguments(place, entry["decide"], given)
        texts = {name: " ".join(entry.get(name, "").split()) for name in (*REQUIRED, "missing")}
        try:
            texts["rule"] = texts["rule"].format(**given)
        except (KeyError, IndexError, ValueError):
            raise InputError(
                f"{place}.rule", texts["rule"], "text whose {names} are arguments of the decision"
            ) from None
        return cls(**texts, value=value, unit=entry.get("unit", ""), given=given)


def load_claims(path: Path | None = None) -> tuple[Claim, ...]:
    """The claims of `path`, by default those recorded for the paper.

    Raises:
        InputError: the file or an entry is wrong, or two entries have one id.
    """
    path = path if path is not None else data_path(PUBLISHED)
    content = check_keys(path.name, read_yaml(path), ("paper", "claims"), ("claims",))
    if not isinstance(content["claims"], list) or not content["claims"]:
        raise InputError(f"{path.name}.claims", content["claims"], "a list with at least one claim")
    claims = tuple(Claim.from_mapping(i, entry) for i, entry in enumerate(content["claims"]))
    ids = [claim.id for claim in claims]
    for claim_id in ids:
        if ids.count(claim_id) > 1:
            raise InputError(f"an id in {path.name}", claim_id, "given once")
    return claims


def read_yaml(path: Path) -> Any:
    """The content of a YAML file.

    Raises:
        InputError: it cannot be read, or is not YAML (with the line).
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except InputError:
        raise
    except (OSError, UnicodeDecodeError):
        raise InputError("file", str(path), "a readable UTF-8 text file") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: no such date
        where = " ".join(str(error).split())
        raise InputError("file", str(path), f"valid YAML ({where})") from None


def _check_arguments(place: str, name: str, given: Mapping[str, Any]) -> None:
    check_choice(f"{place}.decide", name, DECISIONS)
    parameters = list(inspect.signature(DECISIONS[name]).parameters.values())[1:]
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    check_keys(f"{place}.given", given, [p.name for p in parameters], required)


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice, which would otherwise win over the first."""


def _unique_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError("a key of the YAML file", key, "given once")
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)
