"""Recorded prefill measurements as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ctho.checks import check_choice
from ctho.data_files import data_path, read_json
from ctho.prefill import ProfilePrefill
from ctho.prefill.profile import profile_from_content

__all__ = ["RecordedProfile", "profile_names", "recorded_profile"]

PREFIX = "prefill-"


@dataclass(frozen=True)
class RecordedProfile:
    """A profile file of `data/profiles`.

    Attributes:
        name: of the file.
        content: as recorded: model, machine, versions, date, points with their runs.
        curve: p(L, B) by interpolation between the points.
    """

    name: str
    content: Mapping[str, Any]
    curve: ProfilePrefill

    @property
    def points(self) -> pd.DataFrame:
        """Columns length_tok, num_ues, delay_s, in the order of batch size and length."""
        table = pd.DataFrame(self.curve.points, columns=["length_tok", "num_ues", "delay_s"])
        return table.sort_values(["num_ues", "length_tok"], ignore_index=True)

    @property
    def title(self) -> str:
        """What was measured, in a few words."""
        return str(self.content["title"])

    def noise(self) -> pd.DataFrame:
        """Spread of the runs: one row a point, with the load that the machine had.

        Columns length_tok, num_ues, runs, spread (largest over smallest run, minus 1), wait
        (wall time over the counted time of the fastest run, minus 1: time in which others
        held the processor), load_1min (mean).
        """
        clock = self.content["clock"]
        records = []
        for point in self.content["points"]:
            runs = point["runs"]
            times = np.array([run[clock] for run in runs])
            best = runs[int(times.argmin())]
            records.append(
                {
                    "length_tok": point["length_tok"],
                    "num_ues": point["num_ues"],
                    "runs": len(runs),
                    "spread": times.max() / times.min() - 1,
                    "wait": best["wall_s"] / best[clock] - 1,
                    "load_1min": float(np.mean([run["load_1min"] for run in runs])),
                }
            )
        return pd.DataFrame(records).sort_values(["num_ues", "length_tok"], ignore_index=True)


def profile_names() -> tuple[str, ...]:
    """Names of the recorded prefill profiles."""
    return tuple(sorted(path.stem for path in data_path("profiles").glob(f"{PREFIX}*.json")))


def recorded_profile(name: str) -> RecordedProfile:
    """A recorded profile by name, or that of a file.

    Raises:
        InputError: an unknown name (the nearest is offered), or a file that is no profile.
    """
    if name.endswith(".json"):
        content = read_json(name, "profile")
    else:
        known = check_choice("profile", name, profile_names())
        content = read_json(data_path(f"profiles/{known}.json"), "profile")
    short = Path(name).name.removesuffix(".json")
    return RecordedProfile(short, content, profile_from_content(content))
