"""Recorded prefill measurements as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ctho.checks import check_choice
from ctho.data_files import data_path, read_json
from ctho.prefill import ProfilePrefill
from ctho.prefill.profile import profile_from_content

__all__ = ["RecordedProfile", "profile_names", "recorded_profile"]


@dataclass(frozen=True)
class RecordedProfile:
    """A profile file of `data/profiles`.

    Attributes:
        content: as recorded: title, model, machine, versions, date, points with their runs.
        curve: p(L, B) by interpolation between the points.
    """

    content: Mapping[str, Any]
    curve: ProfilePrefill

    @property
    def points(self) -> pd.DataFrame:
        """Columns length_tok, num_ues, delay_s, in the order of batch size and length."""
        table = pd.DataFrame(self.curve.points, columns=["length_tok", "num_ues", "delay_s"])
        return table.sort_values(["num_ues", "length_tok"], ignore_index=True)

    def noise(self) -> pd.DataFrame:
        """How steadily each point was measured, one row a point, in the file's order.

        Columns spread (largest over smallest run, minus 1), wait (wall time over the counted
        time of the fastest run, minus 1 and not below 0: time in which others held the
        processor), load_1min (mean load of the machine).
        """
        clock = self.content["clock"]
        records = []
        for point in self.content["points"]:
            runs = point["runs"]
            times = np.array([run[clock] for run in runs])
            fastest = runs[int(times.argmin())]
            wait = max(fastest["wall_s"] / fastest[clock] - 1, 0.0)
            load = float(np.mean([run["load_1min"] for run in runs]))
            records.append((times.max() / times.min() - 1, wait, load))
        return pd.DataFrame(records, columns=["spread", "wait", "load_1min"])


def profile_names() -> tuple[str, ...]:
    """Names of the recorded prefill profiles."""
    return tuple(sorted(path.stem for path in data_path("profiles").glob("prefill-*.json")))


def recorded_profile(name: str) -> RecordedProfile:
    """A recorded profile by name, or that of a file.

    Raises:
        InputError: an unknown name (the nearest is offered), or a file that is no profile.
    """
    path: Any = name
    if not name.endswith(".json"):
        known = check_choice("prefill_file", name, profile_names())
        path = data_path(f"profiles/{known}.json")
    content = read_json(path, "profile")
    return RecordedProfile(content, profile_from_content(content))
