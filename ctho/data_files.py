"""Where the recorded inputs lie: `data/` of a checkout, or `ctho/_data` of an installed wheel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctho.checks import InputError

__all__ = ["data_path", "is_there", "parse_json", "read_json"]


def data_path(relative: str) -> Path:
    """The file or folder `relative` (such as ``"models"``) among the recorded inputs.

    A wheel carries the folder as `ctho/_data`; a checkout has it beside the package.

    Raises:
        InputError: there is no such file or folder.

    >>> data_path("models").is_dir()
    True
    """
    package = Path(__file__).resolve().parent
    for root in (package / "_data", package.parent / "data"):
        candidate = root / relative
        if candidate.exists():
            return candidate
    raise InputError("data file", relative, "a file or folder of the recorded inputs")


def is_there(path: Path | str) -> bool:
    """Whether a file or folder exists; False, and no error, for a path that none can have.

    >>> is_there("a" * 5000)
    False
    """
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def read_json(path: Path | str, field: str = "file") -> Any:
    """The content of a JSON file; what is wrong with it is said in one sentence.

    Args:
        path: file to read, UTF-8.
        field: name of the file's role in the refusal.

    Raises:
        InputError: the file is missing, unreadable, not UTF-8, or not JSON (with line and column).
    """
    if not str(path):
        raise InputError(field, "", "a file that exists")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(field, str(path), "a file that exists") from None
    except (OSError, ValueError):  # ValueError: not UTF-8, or a path that no file can have
        raise InputError(field, str(path), "a readable UTF-8 text file") from None
    return parse_json(text, field, str(path))


def parse_json(text: str, field: str, source: str) -> Any:
    """The content of a JSON text that came from `source`.

    Raises:
        InputError: not JSON (with line and column), NaN or an infinity, or a key given twice.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise InputError(field, source, f"valid JSON ({where})") from None
    except RecursionError:
        raise InputError(field, source, "JSON with fewer nested levels") from None
    except InputError:
        raise
    except ValueError:  # Python converts no integer of thousands of digits
        raise InputError(field, source, "JSON with numbers of fewer digits") from None


def _refuse_constant(constant: str) -> float:
    raise InputError("a value in the JSON file", constant, "a finite number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise InputError("a key of the JSON file", repeated, "given once")
    return mapping
