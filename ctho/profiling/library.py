"""Models of the real code with random weights: configs in, modules out, no download."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["causal_lm", "library_config"]


def library_config(config: Mapping[str, Any], **changes: Any) -> Any:
    """The library's config object for the content of a `config.json`; the text part of it.

    It goes through a file, as a downloaded model's would.
    """
    from transformers import AutoConfig

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(dict(config)), encoding="utf-8")
        loaded = AutoConfig.from_pretrained(folder).get_text_config(decoder=True)
    for name, value in changes.items():
        setattr(loaded, name, value)
    return loaded


def causal_lm(config: Any, dtype: Any, device: str = "cpu") -> Any:
    """A causal language model with random weights, in evaluation mode.

    On the device "meta" it has shapes and types, but neither memory nor arithmetic.
    """
    import torch
    from transformers import AutoModelForCausalLM

    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    return model.eval()
