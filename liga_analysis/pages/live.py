"""What moves in JupyterLab: charts that Python moves, and callbacks whose errors are seen."""

import traceback
from collections.abc import Callable
from functools import cache

import anywidget
import ipywidgets as ipw
import traitlets

from .export import vega
from .look import spec

# anywidget gives up a chart, which then never moves again, if its script is not loaded within two
# seconds. So the script is short, and Vega's 900 kB come once for all charts.
_DRAW = """
async function load(model) {
  const id = model.get("vega").replace("IPY_MODEL_", "");
  const scripts = (await model.widget_manager.get_model(id)).get("value");
  const place = URL.createObjectURL(new Blob([scripts], { type: "text/javascript" }));
  await import(place);
  URL.revokeObjectURL(place);
}
async function render({ model, el }) {
  await (globalThis.ligaVega ??= load(model));
  let view;
  const move = () => {
    for (const [name, value] of Object.entries(model.get("params"))) view?.signal(name, value);
    view?.runAsync();
  };
  const draw = async () => {
    view?.finalize();
    const options = { actions: false, renderer: "svg" };
    ({ view } = await vegaEmbed(el, structuredClone(model.get("spec")), options));
    move();
  };
  model.on("change:spec", draw);
  model.on("change:params", move);
  await draw();
  return () => view.finalize();
}
export default { render };
"""


class LiveChart(anywidget.AnyWidget):
    """A chart drawn without a network; `params`, by name, and `spec` can be set at any time."""

    _esm = _DRAW
    spec = traitlets.Dict().tag(sync=True)
    params = traitlets.Dict().tag(sync=True)
    vega = traitlets.Instance(ipw.Widget).tag(sync=True, **ipw.widget_serialization)

    def __init__(self, chart):
        made = spec(chart)
        for param in made.get("params", []):
            param.pop("bind", None)  # Python moves it
        super().__init__(spec=made, vega=_scripts())


@cache
def _scripts() -> ipw.Widget:
    """Vega, held by a widget that is never shown."""
    return ipw.HTML(vega())


def seen(place: ipw.Output, callback: Callable) -> Callable:
    """The callback, its error put into the place: what is printed after a pause gets lost."""

    def run(*args):
        place.outputs = ()
        try:
            callback(*args)
        except Exception:
            place.append_stderr(traceback.format_exc())

    return run
