"""The notebooks as they are committed: clean, short, and a story."""

import ast
import json

import nbformat
import pytest

from liga_analysis.pages import notebooks

NOTEBOOKS = notebooks.notebooks()
LINES = 70
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While)


@pytest.fixture(params=NOTEBOOKS)
def raw(request):
    return json.loads(NOTEBOOKS[request.param].read_text("utf-8"))


def code_cells(raw):
    return [cell for cell in raw["cells"] if cell["cell_type"] == "code"]


def test_nothing_of_a_run_is_committed(raw):
    """No outputs, no counts, no papermill metadata."""
    for cell in code_cells(raw):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        assert set(cell["metadata"]) <= {"tags"}
    assert set(raw["metadata"]) <= {"kernelspec", "language_info"}


def test_the_format_is_current(raw):
    """Version 4.5, with an id for each cell, and the kernel every environment has."""
    assert (raw["nbformat"], raw["nbformat_minor"]) == (4, 5)
    nbformat.validate(raw)
    ids = [cell["id"] for cell in raw["cells"]]
    assert len(set(ids)) == len(ids)
    assert raw["metadata"]["kernelspec"]["name"] == "python3"


def test_one_cell_holds_all_parameters(raw):
    """Every one of them is seen by papermill, with a plain type."""
    (cell,) = (c for c in code_cells(raw) if "parameters" in c["metadata"].get("tags", []))
    assigned = ast.parse("".join(cell["source"])).body
    assert all(isinstance(node, ast.AnnAssign) for node in assigned)
    name = next(
        name for name, path in NOTEBOOKS.items() if json.loads(path.read_text("utf-8")) == raw
    )
    kinds = notebooks.parameters(NOTEBOOKS[name])
    assert list(kinds) == [node.target.id for node in assigned]
    assert set(kinds.values()) <= {"str", "int", "float", "bool"}


def test_logic_lives_in_the_package(raw):
    """No functions, classes or loops; few lines, cells of one to three but for the first two."""
    sources = ["".join(cell["source"]) for cell in code_cells(raw)]
    for source in sources:
        assert not any(isinstance(node, FORBIDDEN) for node in ast.walk(ast.parse(source)))
    lines = [len(source.splitlines()) for source in sources]
    assert sum(lines) <= LINES
    assert sorted(lines)[-3] <= 3  # all but the parameters and the imports


def test_the_story_starts_with_its_title(raw):
    """A heading and the purpose in one sentence, before any code."""
    first = raw["cells"][0]
    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")
