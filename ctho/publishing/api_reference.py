"""A Sphinx extension for the API reference: the project's docstrings, and names in them.

Differs from `sphinx.ext.napoleon` in three points. The docstring of an attribute or property is
prose with sections, as everywhere else (napoleon takes "The rate: tokens a second" there for a
type and its description); an indented block is a formula, set as it stands; `|y|` is an absolute
value.

A name is resolved if exactly one documented object ends with it: docstrings say `InputError` and
annotations `ctho.prefill.base.PrefillModel`, while the reference documents each object once,
under the module that a user imports it from. Other unknown names stay errors of the build.

The directive `module-list` names the modules of a package with the first line of each docstring.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["setup"]

_ATTRIBUTES = ("attribute", "data", "property")
_OWNS_INDENTED_BLOCK = re.compile(
    r"(Args|Attributes|Raises|Returns|Yields|[-*] |\d+\. |>>>|\.\. ).*|.*::"
)
_NO_EXPRESSION = re.compile(r"<[^<>]*>")
_LITERAL = re.compile(r"(``.+?``|`.+?`)")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the docstring reader and the resolver."""
    app.setup_extension("sphinx.ext.autodoc")
    for name, (default, rebuild) in Config._config_values.items():
        app.add_config_value(name, default, rebuild)
    app.add_directive("module-list", ModuleList)
    app.connect("autodoc-process-docstring", _read_docstring)
    app.connect("autodoc-process-signature", _make_parsable)
    app.connect("missing-reference", _resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class ModuleList(Directive):
    """The modules of the package named as the argument, read and not imported."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A list of modules and summaries."""
        package = self.arguments[0]
        entries = nodes.bullet_list()
        for name, summary in module_summaries(package):
            text = nodes.paragraph("", "", nodes.literal(text=f"{package}.{name}"))
            text += nodes.Text(f": {summary}")
            entries += nodes.list_item("", text)
        return [entries]


def module_summaries(package: str) -> list[tuple[str, str]]:
    """(name, first line of the docstring) of each module of a package, in order of name."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ValueError(f"{package} is not a package")
    found = []
    for file in sorted(Path(spec.origin).parent.rglob("*.py")):
        inside = file.relative_to(Path(spec.origin).parent).with_suffix("")
        if file.name != "__init__.py":
            docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            found.append((".".join(inside.parts), docstring.partition("\n")[0]))
    return found


def _read_docstring(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    kind = "method" if what in _ATTRIBUTES else what
    source = list(_with_literal_formulas(lines))
    lines[:] = GoogleDocstring(source, app.config, app, kind, name, obj, options).lines()


def _with_literal_formulas(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with `::` before an indented block that belongs to no section, list or doctest."""
    owner = previous = ""
    literal = False
    for line in lines:
        indented = line.startswith("    ")
        if line and not indented:
            owner, literal = line, False
        elif indented and not previous and not literal and not _OWNS_INDENTED_BLOCK.match(owner):
            yield from ("::", "")
            literal = True
        verbatim = literal or owner.startswith(">>>") or owner.endswith("::")
        yield line if verbatim else _with_plain_bars(line)
        previous = line


def _with_plain_bars(line: str) -> str:
    parts = _LITERAL.split(line)
    return "".join(p if p.startswith("`") else p.replace("|", "\\|") for p in parts)


def _make_parsable(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, arguments: str | None, result: str
) -> tuple[str | None, str]:
    """Write `...` for a default such as `<factory>`, on which Sphinx gives the signature up."""
    return arguments and _NO_EXPRESSION.sub("...", arguments), result


def _resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element
) -> nodes.Element | None:
    if node.get("refdomain") != "py":
        return None
    python = env.get_domain("py")
    last = node["reftarget"].rpartition(".")[2]
    found = [name for name, *_ in python.get_objects() if name.rpartition(".")[2] == last]
    if len(found) != 1:
        return None
    return python.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], found[0], node, contnode
    )
