"""The canonical form of an executed notebook: two runs of the same source are the same bytes."""

from __future__ import annotations

import copy
import re
from typing import Any

import nbformat
from nbformat import NotebookNode

__all__ = ["canonical", "canonical_text"]

INJECTED_TAG = "injected-parameters"
"""The tag, and here also the id, of the cell in which papermill puts given parameters."""

_NOTEBOOK_KEYS = ("kernelspec", "mystnb", "title")
_VOLATILE_CELL_KEYS = ("papermill", "execution", "ExecuteTime", "collapsed")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


def canonical_text(notebook: NotebookNode) -> str:
    """The canonical form of `notebook` as JSON text."""
    return str(nbformat.writes(canonical(notebook), version=4)) + "\n"


def canonical(notebook: NotebookNode) -> NotebookNode:
    """A copy of an executed notebook without all that changes from run to run.

    Timings, papermill's and Jupyter's bookkeeping, random cell ids, interpreter versions and
    memory addresses go; neighbouring pieces of one output stream, which are cut by chance, are
    joined. What the code computed stays as it is.
    """
    result = copy.deepcopy(notebook)
    metadata = {key: result.metadata[key] for key in _NOTEBOOK_KEYS if key in result.metadata}
    result.metadata = nbformat.from_dict({**metadata, "language_info": {"name": "python"}})
    for cell in result.cells:
        _clean_cell(cell)
    return result


def _clean_cell(cell: NotebookNode) -> None:
    for key in _VOLATILE_CELL_KEYS:
        cell.metadata.pop(key, None)
    tags = cell.metadata.get("tags", [])
    if INJECTED_TAG in tags:
        cell.id = INJECTED_TAG
    if not tags:
        cell.metadata.pop("tags", None)
    if cell.cell_type == "code":
        cell.outputs = _joined_streams(cell.outputs)
        for output in cell.outputs:
            _clean_output(output)


def _joined_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last is not None
            and output.output_type == last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _clean_output(output: NotebookNode) -> None:
    if output.output_type == "stream":
        output.text = _without_addresses(output.text)
    for kind, content in output.get("data", {}).items():
        output.data[kind] = _without_addresses(content)


def _without_addresses(content: Any) -> Any:
    return _ADDRESS.sub("at 0x0", content) if isinstance(content, str) else content
