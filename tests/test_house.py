"""The house: what is written twice says the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_import_is_light():
    """No altair, no Jupyter, no workbook reader; and charts do without jsonschema's IRIs."""
    code = (
        "import sys, liga_analysis; print(*sorted(m for m in sys.modules if m.split('.')[0] in "
        "{'altair', 'IPython', 'ipykernel', 'ipywidgets', 'joblib', 'nbconvert', 'openpyxl', "
        "'papermill'})); import liga_analysis.estimate.charts; print(*{'lark'} & {*sys.modules})"
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
    made = [path for path in (tmp_path / "data").rglob("[!.]*") if path.is_file()]
    assert len(made) == 9
    for path in made:
        shipped = ROOT / path.relative_to(tmp_path)
        assert path.read_bytes() == shipped.read_bytes(), shipped
