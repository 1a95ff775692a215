"""What moves in JupyterLab: callbacks of widgets whose errors are seen."""

import traceback
from collections.abc import Callable

import ipywidgets as ipw


def seen(place: ipw.Output, callback: Callable) -> Callable:
    """The callback, its error put into the place: what is printed after a pause gets lost."""

    def run(*args):
        place.outputs = ()
        try:
            callback(*args)
        except Exception:
            place.append_stderr(traceback.format_exc())

    return run
