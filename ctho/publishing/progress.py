"""Progress of a run of many notebooks, told by the processes that execute them.

Make starts one process a notebook, so the count is kept in files: `begin` writes when the run
started and how many notebooks are stale, and every finished notebook claims the next free number
by creating a file of that name, which the file system lets only one process do.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

__all__ = ["Progress", "begin"]


def begin(folder: Path, total: int) -> None:
    """Forget the last run's progress and note the start of one over `total` notebooks."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"started": time.time(), "total": total}))


class Progress:
    """What one process knows of the run: the start, the total, how many are done."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            run = json.loads((folder / "run.json").read_text())
            self._started, self._total = float(run["started"]), int(run["total"])
        except (OSError, ValueError, KeyError):
            self._started, self._total = time.time(), 0

    def started(self, name: str) -> None:
        """Say that `name` has begun."""
        self._say(self._done(), f"{name} started")

    def finished(self, name: str) -> None:
        """Count `name` as done and say how many are left."""
        number = self._claim()
        left = self._total - number
        self._say(
            number, f"{name} done, {left} left" if left >= 0 and self._total else f"{name} done"
        )

    def failed(self, name: str) -> None:
        """Say that `name` has failed."""
        self._say(self._done(), f"{name} FAILED")

    def _say(self, number: int, what: str) -> None:
        width = len(str(self._total))
        # A source that changes during the run makes notebooks stale again, beyond the total.
        count = f"[{number:>{width}}/{self._total}] " if number <= self._total > 0 else ""
        print(f"{count}{time.time() - self._started:4.0f} s  {what}", flush=True)

    def _done(self) -> int:
        return sum(file.name.isdigit() for file in self._folder.glob("*"))

    def _claim(self) -> int:
        if not self._total:
            return 0
        number = 1
        while True:
            try:
                (self._folder / str(number)).touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                return number


if __name__ == "__main__":
    begin(Path(sys.argv[1]), int(sys.argv[2]))
