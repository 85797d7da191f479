"""From a Hugging Face `config.json` to a geometry, one small reader for each architecture.

An architecture that is not listed in `ARCHITECTURES` is refused: two models with the same
field names may keep different things, and a wrong cache size looks like a right one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ctho.checks import MISSING, InputError, check_choice
from ctho.data_files import read_json
from ctho.kv_cache.fields import (
    attention_layers,
    boolean,
    cyclic_kinds,
    given_kinds,
    grouped_query_shape,
    integer,
    optional_integer,
)
from ctho.kv_cache.geometry import KvGeometry
from ctho.kv_cache.layers import LatentLayers, LayerGroup, SharedLayers, StateLayers

__all__ = ["ARCHITECTURES", "geometry_from_config", "geometry_from_file"]

Config = Mapping[str, Any]
Reader = Callable[[Config], list[LayerGroup]]
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


def _full(config: Config) -> list[LayerGroup]:
    """Every layer keeps every token."""
    count = integer(config, "num_hidden_layers")
    return attention_layers([FULL] * count, grouped_query_shape(config))


def _all_windowed(config: Config) -> list[LayerGroup]:
    """One window for every layer, or `sliding_window: null` for none.

    The field is required: Mistral-7B v0.1 has a window and v0.3 has none.
    """
    if "sliding_window" not in config:
        raise InputError("sliding_window", MISSING, "given (null if there is no window)")
    window = optional_integer(config, "sliding_window")
    kinds = [FULL if window is None else SLIDING] * integer(config, "num_hidden_layers")
    return attention_layers(kinds, grouped_query_shape(config), window)


def _qwen(config: Config) -> list[LayerGroup]:
    """A window only where `use_sliding_window` says so, and from layer `max_window_layers` on."""
    count = integer(config, "num_hidden_layers")
    kinds = given_kinds(config, count, (FULL, SLIDING))
    windowed = boolean(config, "use_sliding_window", default=False)
    if kinds is None and windowed:
        first = integer(config, "max_window_layers", at_least=0)
        kinds = [SLIDING if layer >= first else FULL for layer in range(count)]
    return _by_kinds(config, kinds if kinds is not None else [FULL] * count)


def _patterned(default_cycle: int) -> Reader:
    """Windows in all layers but every n-th, n from `layer_types` or `sliding_window_pattern`."""

    def read(config: Config) -> list[LayerGroup]:
        count = integer(config, "num_hidden_layers")
        kinds = given_kinds(config, count, (FULL, SLIDING))
        if kinds is None:
            cycle = optional_integer(config, "sliding_window_pattern") or default_cycle
            kinds = cyclic_kinds(count, cycle, SLIDING, FULL)
        return _by_kinds(config, kinds)

    return read


def _gemma3(config: Config) -> list[LayerGroup]:
    """The larger Gemma 3 configs, as published, leave the shape to the class defaults."""
    defaults = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256}
    return _patterned(6)({**defaults, **config})


def _gemma3n(config: Config) -> list[LayerGroup]:
    """The last `num_kv_shared_layers` layers read the cache of earlier ones."""
    count = integer(config, "num_hidden_layers")
    shared = integer(config, "num_kv_shared_layers", at_least=0)
    if shared >= count:
        raise InputError("num_kv_shared_layers", shared, f"below num_hidden_layers, {count}")
    kinds = given_kinds(config, count, (FULL, SLIDING)) or cyclic_kinds(count, 5, SLIDING, FULL)
    own = _by_kinds(config, kinds[: count - shared])
    return [*own, SharedLayers(shared)] if shared else own


def _latent(config: Config) -> list[LayerGroup]:
    """Multi-head latent attention: kv_lora_rank + qk_rope_head_dim for each token and layer."""
    count = integer(config, "num_hidden_layers")
    return [
        LatentLayers(count, integer(config, "kv_lora_rank"), integer(config, "qk_rope_head_dim"))
    ]


def _qwen3_next(config: Config) -> list[LayerGroup]:
    """Gated DeltaNet layers with a fixed state, full attention in every fourth layer."""
    count = integer(config, "num_hidden_layers")
    kinds = given_kinds(config, count, (FULL, LINEAR))
    if kinds is None:
        cycle = optional_integer(config, "full_attention_interval") or 4
        kinds = cyclic_kinds(count, cycle, LINEAR, FULL)
    groups: list[LayerGroup] = []
    if LINEAR in kinds:
        key_heads = integer(config, "linear_num_key_heads")
        value_heads = integer(config, "linear_num_value_heads")
        key_dim = integer(config, "linear_key_head_dim")
        value_dim = integer(config, "linear_value_head_dim")
        channels = 2 * key_heads * key_dim + value_heads * value_dim
        groups.append(
            StateLayers(
                count=kinds.count(LINEAR),
                convolution_elements=channels * integer(config, "linear_conv_kernel_dim"),
                recurrent_elements=value_heads * key_dim * value_dim,
            )
        )
    attention = [kind for kind in kinds if kind == FULL]
    return [*attention_layers(attention, grouped_query_shape(config)), *groups]


def _explicit(config: Config) -> list[LayerGroup]:
    """Any decoder with keys and values in every layer, all of it said and nothing assumed."""
    for name in ("num_key_value_heads", "head_dim", "layer_types"):
        if config.get(name) is None:
            raise InputError(name, MISSING, "given for model_type 'explicit'")
    count = integer(config, "num_hidden_layers")
    return _by_kinds(config, given_kinds(config, count, (FULL, SLIDING)) or [])


def _by_kinds(config: Config, kinds: list[str]) -> list[LayerGroup]:
    window = integer(config, "sliding_window") if SLIDING in kinds else None
    return attention_layers(kinds, grouped_query_shape(config), window)


def _stating_head_dim(read: Reader) -> Reader:
    """For families whose head_dim is not hidden_size / num_attention_heads in every member."""

    def checked(config: Config) -> list[LayerGroup]:
        integer(config, "head_dim")
        return read(config)

    return checked


ARCHITECTURES: Mapping[str, Reader] = {
    "cohere2": _patterned(4),
    "deepseek_v2": _latent,
    "deepseek_v3": _latent,
    "explicit": _explicit,
    "gemma": _stating_head_dim(_full),
    "gemma2": _stating_head_dim(_patterned(2)),
    "gemma3": _gemma3,
    "gemma3_text": _gemma3,
    "gemma3n": _stating_head_dim(_gemma3n),
    "gemma3n_text": _stating_head_dim(_gemma3n),
    "gpt_oss": _stating_head_dim(_patterned(2)),
    "kimi_k2": _latent,
    "llama": _full,
    "mistral": _all_windowed,
    "mixtral": _all_windowed,
    "olmo2": _full,
    "phi3": _all_windowed,
    "qwen2": _qwen,
    "qwen2_moe": _qwen,
    "qwen3": _stating_head_dim(_qwen),
    "qwen3_moe": _stating_head_dim(_qwen),
    "qwen3_next": _stating_head_dim(_qwen3_next),
}
"""`model_type` of a config -> its reader; a new architecture is one more line."""

_CROSS_ATTENTION = {
    "is_encoder_decoder": "false",
    "add_cross_attention": "false",
    "cross_attention_layers": "absent",
}


def geometry_from_config(config: Any, name: str) -> KvGeometry:
    """The geometry that the content of a `config.json` describes.

    A multimodal config is read through its `text_config`.

    Args:
        config: the parsed file.
        name: what to call the model.

    Raises:
        InputError: not an object, an unknown architecture (with the fields that it needs),
            cross-attention, or a field that is missing or out of bounds.
    """
    if not isinstance(config, Mapping):
        raise InputError("config", config, "a JSON object, as in a model's config.json")
    text = config.get("text_config", config)
    if not isinstance(text, Mapping):
        raise InputError("text_config", text, "a JSON object")
    for part in (config, text):
        _refuse_cross_attention(part)
    model_type = text.get("model_type", config.get("model_type"))
    if model_type is None:
        raise InputError("model_type", MISSING, "given, such as llama or qwen2")
    if not isinstance(model_type, str) or model_type not in ARCHITECTURES:
        _refuse_architecture(model_type)
    return KvGeometry(name, tuple(ARCHITECTURES[model_type](text)))


def geometry_from_file(path: Path | str) -> KvGeometry:
    """The geometry of a local `config.json`; nothing is fetched.

    Raises:
        InputError: the file is missing or not JSON (with line and column), or its content
            is refused by :func:`geometry_from_config`.
    """
    config = read_json(path, "config")
    named = config.get("_name_or_path") if isinstance(config, Mapping) else None
    return geometry_from_config(config, named if isinstance(named, str) and named else str(path))


def _refuse_cross_attention(config: Config) -> None:
    for field, allowed in _CROSS_ATTENTION.items():
        if config.get(field):
            raise InputError(
                field,
                config[field],
                f"{allowed}: the cache of cross-attention grows with a second input (image, audio "
                "or encoder text), not with the context's tokens",
            )


def _refuse_architecture(model_type: Any) -> None:
    try:
        check_choice("model_type", model_type, sorted(ARCHITECTURES))
    except InputError as error:
        raise InputError(
            "model_type",
            model_type,
            f"{error.allowed}; any other decoder can be described by model_type 'explicit' with "
            "num_hidden_layers, num_key_value_heads, head_dim, layer_types (full_attention or "
            "sliding_attention for each layer) and sliding_window",
        ) from None
