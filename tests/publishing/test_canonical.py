"""What changes from run to run goes; what was computed stays."""

from __future__ import annotations

import json
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ctho.publishing.canonical import canonical, canonical_text


def executed(run: int) -> NotebookNode:
    """The same notebook as two runs would leave it."""
    timed = {"papermill": {"duration": 0.1 * run}, "execution": {"iopub.execute_input": str(run)}}
    pieces = ["one\ntwo\n"] if run == 1 else ["one\n", "two\n"]
    outputs = [new_output("stream", name="stdout", text=piece) for piece in pieces]
    shown = {"text/plain": f"<object at 0x7f{run}a>", "text/html": "<b>4</b>"}
    outputs.append(new_output("execute_result", data=shown, execution_count=2))
    cells = [
        new_markdown_cell("# A page", id="title"),
        new_code_cell(
            "num_ues = 4", id=f"random{run}", metadata={**timed, "tags": ["injected-parameters"]}
        ),
        new_code_cell("num_ues", id="show", metadata={**timed, "tags": []}, outputs=outputs),
    ]
    metadata: dict[str, Any] = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python", "version": f"3.11.{run}"},
        "papermill": {"start_time": str(run)},
    }
    return new_notebook(cells=cells, metadata=metadata)


def test_two_runs_are_the_same_bytes() -> None:
    assert executed(1) != executed(2)
    assert canonical_text(executed(1)) == canonical_text(executed(2))


def test_results_stay() -> None:
    title, injected, show = canonical(executed(2)).cells
    assert title.source == "# A page"
    assert injected.id == "injected-parameters"
    assert injected.metadata == {"tags": ["injected-parameters"]}
    assert show.metadata == {}
    stream, result = show.outputs
    assert stream.text == "one\ntwo\n"
    assert result.data == {"text/plain": "<object at 0x0>", "text/html": "<b>4</b>"}


def test_streams_of_different_names_stay_apart() -> None:
    outputs = [new_output("stream", name=name, text=name) for name in ("stdout", "stderr")]
    notebook = new_notebook(cells=[new_code_cell("f()", id="f", outputs=outputs)])
    assert [output.name for output in canonical(notebook).cells[0].outputs] == ["stdout", "stderr"]


def test_the_given_notebook_is_left_alone() -> None:
    notebook = executed(1)
    canonical(notebook)
    assert notebook == executed(1)


def test_the_text_is_a_notebook_again() -> None:
    content = json.loads(canonical_text(executed(1)))
    assert content["metadata"]["language_info"] == {"name": "python"}
    assert "papermill" not in json.dumps(content)
