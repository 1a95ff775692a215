// One player lit up everywhere, whose card the address names; a table that sorts; charts.
document.documentElement.classList.add("js");
const cards = [...document.querySelectorAll("details.card")];
const names = new Map(cards.map((card) => [card.id, card.dataset.name]));
const ids = new Map([...names].map(([id, name]) => [name, id]));
const views = [];
const who = document.getElementById("who");
let lit = "", own = ""; // own: who the reader says to be, whosever card is open

function light(id) {
  if (id === lit) return;
  lit = id;
  for (const part of document.querySelectorAll("[data-player]")) {
    part.classList.toggle("lit", part.dataset.player === lit);
  }
  for (const view of views) show(view);
}

// A chart keeps who is picked in it as tuples; the same ones are put there from outside.
function show(view) {
  const fields = view.signal("picked_tuple_fields");
  const tuples = lit ? [{unit: "", fields, values: [names.get(lit)]}] : [];
  view.data("picked_store", tuples).runAsync();
}

function lightable(view) {
  if (!("picked_store" in view.getState({data: () => true, signals: () => false}).data)) return;
  views.push(view);
  view.addEventListener("click", (_, item) => {
    const id = ids.get(item?.datum?.player);
    if (id) setTimeout(() => light(id)); // after the chart's own answer to the click
  });
  if (lit) show(view);
}

// What the pointer is told in passing, a tap tells below the chart.
function tellable(view, figure) {
  const place = figure.appendChild(document.createElement("output"));
  view.addEventListener("click", (_, item) => {
    const told = Object.entries(item?.tooltip ?? {});
    place.textContent = told.map(([name, value]) => `${name}: ${value}`).join(" · ");
  });
}

// The address says whose card is open, and unfolds the part it points into.
function follow() {
  const id = decodeURIComponent(location.hash.slice(1)), place = document.getElementById(id);
  light(names.has(id) ? id : own);
  if (names.has(id)) {
    const named = id === own ? document.querySelector(".liga.cards") : place;
    document.getElementById("cards").textContent = named.dataset.title;
  }
  for (let part = place?.closest("details.part"); part; part = part.parentElement.closest("details.part")) {
    part.open = true;
  }
}

who?.addEventListener("change", () => {
  own = who.value;
  location.hash = own || "standings";
  follow();
});
addEventListener("hashchange", follow);
follow();

for (const mark of document.querySelectorAll("[data-tip]")) {
  const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
  tip.textContent = mark.dataset.tip;
  mark.append(tip);
}
document.addEventListener("click", (event) => {
  const bar = event.target.closest("figure.bars path");
  if (bar?.dataset.tip) {
    bar.closest("figure").querySelector("output").textContent = bar.dataset.tip;
  }
  if (event.target.closest("a, button, select, details")) return;
  const row = event.target.closest(".standings tbody tr[data-player], .podium [data-player]");
  if (row) location.hash = row.dataset.player;
});
for (const card of cards) {
  card.querySelector("summary").addEventListener("click", (event) => event.preventDefault());
}
for (const head of document.querySelectorAll(".standings thead th")) {
  head.querySelector("button")?.addEventListener("click", () => sort(head));
}

function sort(head) {
  const table = head.closest("table"), heads = [...table.querySelectorAll("thead th")];
  const at = heads.slice(0, heads.indexOf(head)).reduce((n, th) => n + th.colSpan, 0);
  const key = (row) => row.cells[at].dataset.sort ?? row.cells[at].textContent.trim();
  const first = ["0", "1"].includes(String(at)) ? "ascending" : "descending";
  const other = {ascending: "descending", descending: "ascending"};
  const way = head.ariaSort ? other[head.ariaSort] : first;
  heads.forEach((th) => th.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", way);
  const sign = way === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.matches(".rule"));
    rows.sort((a, b) => sign * (key(a) - key(b) || key(a).localeCompare(key(b), document.documentElement.lang)));
    body.append(...rows);
  }
}

// Charts with a parameter "step" move together; one of them brings what to say beside the sliders.
const steps = [];
let told;

function linked(view, figure) {
  const slider = figure.querySelector("input[name=step]");
  if (!slider) return;
  const words = document.createElement("output"); // Vega's own shows the bare number of the grid
  slider.after(words);
  const follow = (step) => {
    slider.value = step;
    words.textContent = told[step];
    slider.setAttribute("aria-valuetext", told[step]);
    if (view.signal("step") !== step) view.signal("step", step).runAsync();
  };
  steps.push(follow);
  follow(view.signal("step"));
  view.addSignalListener("step", (_, step) => steps.forEach((follow) => follow(step)));
}

// A chart is drawn where it can be seen; a picture stands there until then.
const waiting = new Map([...document.querySelectorAll("figure.chart")].map((figure) => {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  told ??= spec.usermeta?.step;
  return [figure, spec];
}));

function draw() {
  for (const [figure, spec] of waiting) {
    if (figure.closest("details:not([open])")) continue;
    waiting.delete(figure);
    vegaEmbed(figure.querySelector("div"), spec, {actions: false, renderer: "svg"}).then(({view}) => {
      lightable(view);
      tellable(view, figure);
      linked(view, figure);
    });
  }
}
for (const part of document.querySelectorAll("details.part")) part.addEventListener("toggle", draw);
draw();
