"""The package with NumPy alone: a fresh environment in which nothing else is installed."""

from __future__ import annotations

import json
import subprocess
import venv
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import ctho

ROOT = Path(__file__).parent.parent

INSTANCE = {
    "handover_s": [1.0, 1.2],
    "context_tok": [3000, 4000],
    "backhaul_gbps": 4.5,
    "kv_bits_per_tok": 458_752,
    "cycle_s": 0.01,
    "prefill": {"prefill_s_per_tok": 9.4267e-5, "prefill_offset_s": 2.4e-3},
}
CURVED = {**INSTANCE["prefill"], "model": "quadratic", "prefill_s_per_tok2": 1e-9}  # type: ignore[dict-item]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with NumPy and this package, linked in."""
    folder = tmp_path_factory.mktemp("core")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    told = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    site = Path(told.stdout.strip())
    installed = Path(np.__file__).parent.parent
    for name in ("numpy", "numpy.libs", f"numpy-{np.__version__}.dist-info"):
        if (installed / name).exists():
            (site / name).symlink_to(installed / name)
    (site / "ctho").symlink_to(Path(ctho.__file__).parent)
    about = site / f"ctho-{metadata.version('ctho')}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Name: ctho\nVersion: {metadata.version('ctho')}\n")
    return python


def run(core: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    # -I: neither PYTHONPATH nor the working directory brings anything else in.
    return subprocess.run(
        [core, "-I", *words], input=given, capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_nothing_but_numpy_is_there(core: Path) -> None:
    done = run(core, "-c", "import pandas")
    assert "No module named 'pandas'" in done.stderr


def test_the_model_is_imported_and_solves(core: Path) -> None:
    command = (
        "import ctho; r = ctho.backhaul_tok_per_s(4.5, 458_752); "
        "h = ctho.Handover([1.0, 1.2], [3000, 4000], r, ctho.AffinePrefill()); "
        "print(float(ctho.solve(h).delay_s))"
    )
    rate = ctho.backhaul_tok_per_s(4.5, 458_752)
    handover = ctho.Handover([1.0, 1.2], [3000, 4000], rate, ctho.AffinePrefill())
    done = run(core, "-c", command)
    assert done.stderr == ""
    assert float(done.stdout) == float(ctho.solve(handover).delay_s)


def test_solve_and_kv_work(core: Path) -> None:
    solved = run(core, "-m", "ctho", "solve", "-", given=json.dumps(INSTANCE))
    assert (solved.returncode, solved.stderr) == (0, "")
    assert json.loads(solved.stdout)["ctHO"]["delay_s"] > 0
    sized = run(core, "-m", "ctho", "kv", "Qwen2.5-7B-Instruct", "--json")
    assert (sized.returncode, sized.stderr) == (0, "")
    assert run(core, "-m", "ctho", "--help").returncode == 0


@pytest.mark.parametrize("words", [["claims"], ["claims", "--check"], ["run", "fig3a"]])
def test_what_needs_more_names_the_extra_in_one_sentence(core: Path, words: list[str]) -> None:
    done = run(core, "-m", "ctho", *words)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"`ctho {words[0]}` needs " in done.stderr
    assert done.stderr.endswith("pip install 'ctho[book]'\n")


def test_a_curved_prefill_names_scipy(core: Path) -> None:
    done = run(core, "-m", "ctho", "solve", "-", given=json.dumps({**INSTANCE, "prefill": CURVED}))
    assert done.returncode == 1
    assert done.stderr == (
        "ctho: a prefill delay that is not affine needs SciPy: pip install 'ctho[scipy]'\n"
    )
