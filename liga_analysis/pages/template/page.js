// One player lit up everywhere, cards that open, a table that sorts and unfolds.
document.documentElement.classList.add("js");
const names = new Map([...document.querySelectorAll("details.card")].map((c) => [c.id, c.dataset.name]));
const ids = new Map([...names].map(([id, name]) => [name, id]));
const views = [];
const who = document.getElementById("who");
let lit = "";

function light(id) {
  if (id === lit) return;
  lit = id;
  for (const part of document.querySelectorAll("[data-player]")) {
    part.classList.toggle("lit", part.dataset.player === lit);
  }
  if (who) who.value = lit;
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

function open(id) {
  const card = document.getElementById(id);
  if (!(card instanceof HTMLDetailsElement)) return;
  card.open = true;
  light(id);
}

who?.addEventListener("change", () => {
  light(who.value);
  if (who.value) location.hash = who.value;
});
addEventListener("hashchange", () => open(location.hash.slice(1)));
open(location.hash.slice(1));

for (const mark of document.querySelectorAll("[data-tip]")) {
  const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
  tip.textContent = mark.dataset.tip;
  mark.append(tip);
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#p']");
  if (link) return open(link.hash.slice(1)); // also where the address stays the same
  const bar = event.target.closest("figure.bars path");
  if (bar?.dataset.tip) {
    bar.closest("figure").querySelector("output").textContent = bar.dataset.tip;
  }
  if (event.target.closest("button, summary, select, details.numbers")) return;
  const row = event.target.closest(".standings tbody tr[data-player], .podium [data-player]");
  if (row) light(row.dataset.player === lit ? "" : row.dataset.player);
});
for (const card of document.querySelectorAll("details.card")) {
  card.querySelector("summary").addEventListener("click", () => card.open || light(card.id));
}
for (const button of document.querySelectorAll("button.unfold")) {
  button.addEventListener("click", () => {
    const row = button.closest("tr");
    button.setAttribute("aria-expanded", row.classList.toggle("open"));
  });
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
    const rows = [...body.rows].filter((row) => !row.matches(".more, .rule"));
    const pairs = rows.map((row) => [row, row.nextElementSibling]);
    pairs.sort(([a], [b]) => sign * (key(a) - key(b) || key(a).localeCompare(key(b), document.documentElement.lang)));
    pairs.forEach((pair) => body.append(...pair));
  }
}

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details.card:not([open])")];
  opened.forEach((card) => (card.open = true));
});
addEventListener("afterprint", () => opened.forEach((card) => (card.open = false)));
