"""The house: imports go one way, and what is written twice says the same."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "liga_analysis"
# From the rules downwards: a module imports only what stands before it.
ORDER = """
rules labels cells workbooks reader writer layouts protocol replay eventlog settings evenings roster
pokernow sources canonical journal season submissions amendments storage rating variance sensitivity
draws ranking diagnostics outlook careers honours checks recording invitation sheets pseudonyms
cards chronicle overview simulation calibration drift glicko2 systems comparison records advice
preview typed markup pictures outlook_views career_views exploration look charts estimate_charts
lambda_charts story lambda_story comparison_story comparison_charts views estimate_views model_views
card_texts report_views forms poster widgets seat_lines evening_form report many console cli_seasons
cli_evening cli_pages cli
""".split()
COMPUTING = ORDER[: ORDER.index("records")]


def imports(module: str) -> list[str]:
    """Names imported in a module, relative ones with their dot, at any depth."""
    found = []
    for node in ast.walk(ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            found += [f".{node.module}"] if node.module and node.level else []
            found += [f".{name}" for name in names] if node.level and not node.module else []
            found += [node.module] if not node.level else []
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


def modules() -> list[str]:
    return sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__")


def test_every_module_has_its_place():
    """A new module is put in its place in the order."""
    assert set(modules()) <= set(ORDER)


@pytest.mark.parametrize("module", modules())
def test_imports_go_one_way(module):
    """A module imports only modules that stand before it."""
    before = ORDER[: ORDER.index(module)]
    inside = [name[1:] for name in imports(module) if name.startswith(".")]
    assert set(inside) <= set(before)


@pytest.mark.parametrize("module", sorted(set(COMPUTING) & set(modules())))
def test_the_computing_half_needs_little(module):
    """The computing half knows neither charts nor notebooks nor the command line."""
    outside = {name.split(".")[0] for name in imports(module)}
    assert not outside & {"altair", "IPython", "ipywidgets", "papermill", "nbconvert", "click"}


def test_import_is_light():
    """`import liga_analysis` imports no altair, no Jupyter and no workbook reader."""
    code = (
        "import sys, liga_analysis; print(*sorted(m for m in sys.modules if m.split('.')[0] in "
        "{'altair', 'IPython', 'ipykernel', 'ipywidgets', 'joblib', 'nbconvert', 'openpyxl', "
        "'papermill'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_environment_and_project_say_the_same():
    """environment.yml names the dependencies of pyproject.toml, in the same versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    conda = [line for line in environment["dependencies"] if isinstance(line, str)]
    asked = {re.sub(r"\s", "", line) for line in conda}
    assert asked == {*project["dependencies"], f"python{project['requires-python']}", "pip"}
    assert environment["dependencies"][-1] == {"pip": ["-e ."]}
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    assert environment["name"] == "liga"


def test_constraints_name_every_dependency():
    """What make installs is fixed for all that pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    fixed = {
        re.split("==", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line
    }
    assert {re.match(r"[\w-]+", name)[0].lower() for name in asked} <= fixed


def test_the_example_can_be_made_again(tmp_path, monkeypatch):
    """The shipped seasons are what the lines in data/README.md make, to the byte."""
    readme = (ROOT / "data" / "README.md").read_text("utf-8")
    lines = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    exec(lines, {})
    made = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert len(made) == 9
    for path in made:
        shipped = ROOT / path.relative_to(tmp_path)
        assert path.read_bytes() == shipped.read_bytes(), shipped
