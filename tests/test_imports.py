"""The model needs NumPy alone, so that it also runs where nothing else is installed."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import ctho

HIGHER_FLOORS = {"cli", "__main__", "publishing", "profiling", "pages", "simulation", "proofs"}

LIST_PACKAGES = """
import importlib, json, sys
before = set(sys.modules)
for name in sys.argv[1:]:
    importlib.import_module(name)
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(loaded - set(sys.stdlib_module_names))))
"""


def model_modules() -> list[str]:
    floors = [m.name for m in pkgutil.iter_modules(ctho.__path__) if m.name not in HIGHER_FLOORS]
    packages = [f"ctho.{name}" for name in floors]
    for module in pkgutil.walk_packages(ctho.__path__, "ctho."):
        if any(module.name.startswith(f"{package}.") for package in packages):
            packages.append(module.name)
    return packages


def test_the_model_imports_nothing_but_numpy() -> None:
    modules = model_modules()
    assert {"ctho.solver", "ctho.kv_cache", "ctho.prefill.affine"} <= set(modules)
    command = [sys.executable, "-c", LIST_PACKAGES, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) <= {"ctho", "numpy"}
