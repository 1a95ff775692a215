"""Notebooks run in this process: no kernel starts, and nothing is imported once more."""

from contextlib import contextmanager, nullcontext

import pytest
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_output
from papermill.engines import Engine

from liga_analysis.pages import notebooks


class Quiet(DisplayHook):
    """Keeps the value of a cell instead of printing it."""

    def __call__(self, result=None):
        if result is not None and not self.quiet():
            self.fill_exec_result(result)


class Here(Engine):
    """What papermill asks to run the cells."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **_):
        shell = InteractiveShell.instance(displayhook_class=Quiet)
        shell.history_manager.enabled = False
        for k, cell in enumerate(nb_man.nb.cells):
            if cell.cell_type == "code":
                nb_man.cell_start(cell, k)
                with capture_output() as heard:
                    made = shell.run_cell(cell.source)
                made.raise_error()
                cell.outputs = [
                    new_output("display_data", shown.data, metadata=shown.metadata or {})
                    for shown in heard.outputs
                ]
                if made.result is not None:
                    data, metadata = shell.display_formatter.format(made.result)
                    cell.outputs.append(new_output("execute_result", data, metadata=metadata))
                nb_man.cell_complete(cell, k)
        InteractiveShell.clear_instance()


@contextmanager
def notebooks_here():
    """Pages are the same to the byte, and made in half the time: see tests/pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notebooks, "_kernel", nullcontext)
        patch.setattr(notebooks, "_engine", lambda: Here)
        yield
