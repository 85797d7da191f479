"""How many bytes a context is: element types, layers, models, and what they add up to."""

from ctho.kv_cache.config import ARCHITECTURES, geometry_from_config, geometry_from_file
from ctho.kv_cache.elements import ELEMENT_TYPES, ElementType, element_type
from ctho.kv_cache.geometry import KvCache, KvGeometry, Segment
from ctho.kv_cache.layers import (
    AttentionLayers,
    LatentLayers,
    LayerGroup,
    SharedLayers,
    StateLayers,
)
from ctho.kv_cache.library import library_bytes
from ctho.kv_cache.models import model_config, model_geometry, model_names

__all__ = [
    "ARCHITECTURES",
    "ELEMENT_TYPES",
    "AttentionLayers",
    "ElementType",
    "KvCache",
    "KvGeometry",
    "LatentLayers",
    "LayerGroup",
    "Segment",
    "SharedLayers",
    "StateLayers",
    "element_type",
    "geometry_from_config",
    "geometry_from_file",
    "library_bytes",
    "model_config",
    "model_geometry",
    "model_names",
]
