"""Results on disk: written whole or not at all, and taken up again after an interruption."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["ResumableRecord", "write_json"]


def write_json(path: Path, content: Any) -> None:
    """Write `content` beside `path`, then put it in place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.write("\n")
        Path(name).chmod(0o644)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


class ResumableRecord:
    """Measured entries by key, kept on disk after each one under a fixed setting.

    Entries of an earlier, interrupted session are taken up if its setting (model, machine,
    versions, ...) equals this one; otherwise they would not belong together and are dropped.

    Attributes:
        entries: key -> entry, in the order measured.
    """

    def __init__(self, path: Path, setting: Mapping[str, Any]) -> None:
        self.path = path
        self._setting = json.loads(json.dumps(setting))
        self.entries: dict[str, Any] = {}
        try:
            earlier = json.loads(path.read_text(encoding="utf-8"))
            if earlier["setting"] == self._setting:
                self.entries = dict(earlier["entries"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def add(self, key: str, entry: Any) -> None:
        """Keep `entry`, on disk before this returns."""
        self.entries[key] = entry
        write_json(self.path, {"setting": self._setting, "entries": self.entries})
