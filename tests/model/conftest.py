"""These tests need the extra `model`; `make test-model` installs it apart and runs them."""

import importlib.util
from pathlib import Path

import pytest

collect_ignore_glob = ["test_*.py"] if importlib.util.find_spec("torch") is None else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            # What torch and transformers warn about is theirs to mend.
            item.add_marker(pytest.mark.filterwarnings("default"))
