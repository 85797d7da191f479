"""Execute one notebook with papermill and keep its canonical form."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctho.checks import InputError
from ctho.publishing.progress import Progress

__all__ = ["NotebookError", "NotebookInputError", "execute", "main", "repository_root"]

KERNEL_ENVIRONMENT = {
    # A fixed order of sets, so that no output depends on it.
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    # Make runs one notebook a core; threads below that would only compete, and the order in
    # which they add up could show in the last digits.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # The kernel's debugger would otherwise warn about frozen modules in the page.
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    # The interpreter that runs papermill also runs the kernel, whatever a user has registered
    # or configured.
    "JUPYTER_PREFER_ENV_PATH": "1",
    "JUPYTER_NO_CONFIG": "1",
}

INTERRUPTED = 130
_SHOWN_TRACEBACK_LINES = 20
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class NotebookError(RuntimeError):
    """A cell of a notebook raised; the message holds the cell and the traceback's end."""


class NotebookInputError(NotebookError):
    """A cell raised an :class:`~ctho.checks.InputError`; `sentence` is what it said."""

    def __init__(self, message: str, sentence: str) -> None:
        super().__init__(message)
        self.sentence = sentence


def execute(
    source: Path,
    target: Path,
    parameters: Mapping[str, Any] | None = None,
    build_dir: Path | None = None,
) -> None:
    """Execute the notebook `source` and write its canonical form to `target`.

    The kernel's working directory is the repository root. `target` appears whole or not at all.

    Args:
        source: a notebook.
        target: where the executed notebook goes; its folder is made if need be.
        parameters: values that replace those of the cell tagged `parameters`.
        build_dir: where the notebook's results and figures go; by default `build/`.

    Raises:
        InputError: `source` is not a notebook.
        NotebookInputError: a cell found its input wrong.
        NotebookError: a cell raised anything else.
    """
    import papermill

    from ctho.publishing.canonical import canonical_text

    # papermill takes a path for a format string, so it gets the content instead.
    notebook = _read(source)
    # Names are checked before; that one is not in the notebook's own cell is no mistake.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    with _kernel_environment(build_dir) as runtime_dir:
        try:
            executed = papermill.execute_notebook(
                notebook,
                None,
                parameters=dict(parameters or {}),
                kernel_name="python3",
                language="python",
                cwd=str(repository_root(source)),
                progress_bar=False,
                config=_client_config(runtime_dir),
                shutdown_kernel="immediate",
            )
        except papermill.PapermillExecutionError as error:
            message = _end_of_traceback(source, error)
            if error.ename == InputError.__name__:
                raise NotebookInputError(message, error.evalue) from None
            raise NotebookError(message) from None
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    partial.write_text(canonical_text(executed), encoding="utf-8")
    partial.replace(target)


def repository_root(source: Path) -> Path:
    """The nearest folder above `source` that holds pyproject.toml, else the working directory."""
    for folder in source.resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder
    return Path.cwd()


def main(source: Path, target: Path) -> int:
    """Execute `source` for make: tell the progress, and on failure the traceback's end."""
    progress = Progress(target.parent.parent / "progress")
    progress.started(source.stem)
    try:
        execute(source, target, build_dir=target.parent.parent)
    except (InputError, NotebookError) as error:
        progress.failed(source.stem)
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    progress.finished(source.stem)
    return 0


def _read(source: Path) -> Any:
    import nbformat

    try:
        notebook = nbformat.v4.reads_json(source.read_text(encoding="utf-8"))
        nbformat.validate(notebook)
    except OSError:
        raise InputError("NOTEBOOK", str(source), "a file that can be read") from None
    except (
        nbformat.ValidationError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        raise InputError("NOTEBOOK", str(source), "a Jupyter notebook (format 4)") from None
    return notebook


@contextmanager
def _kernel_environment(build_dir: Path | None) -> Iterator[str]:
    """Set what the kernel inherits, and yield a folder of its own for its runtime files.

    A user's IPython profile and runtime folder play no part.
    """
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="ctho-") as folder:
        os.environ.update(KERNEL_ENVIRONMENT, IPYTHONDIR=folder, JUPYTER_RUNTIME_DIR=folder)
        if build_dir is not None:
            os.environ["CTHO_BUILD_DIR"] = str(build_dir.resolve())
        try:
            yield folder
        finally:
            os.environ.clear()
            os.environ.update(before)


def _client_config(runtime_dir: str) -> Any:
    from traitlets.config import Config

    # Kernels that start at the same moment can be given the same TCP port; sockets in a folder
    # of their own cannot clash. Outside Linux such a path may be longer than the system allows.
    if sys.platform != "linux":
        return Config()
    return Config({"KernelManager": {"transport": "ipc", "ip": f"{runtime_dir}/kernel"}})


def _end_of_traceback(source: Path, error: Any) -> str:
    lines = _COLOUR.sub("", "\n".join(error.traceback)).splitlines()
    shown = lines[-_SHOWN_TRACEBACK_LINES:]
    return "\n".join([f"{source}: cell [{error.exec_count}] raised {error.ename}", *shown])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
