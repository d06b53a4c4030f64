// Controls. The slider is logarithmic, since 2 or 3 clusters differ more than 200 or 201.

const slider = $("clusters");
const toSlider = (k) => (data.most > 1 ? Math.round((1000 * Math.log(k)) / Math.log(data.most)) : 0);
const fromSlider = (value) => Math.min(data.most, Math.max(1, Math.round(Math.exp((value / 1000) * Math.log(data.most)))));

function setClusters(k) {
  state.k = Math.min(data.most, Math.max(1, Math.round(k) || 1));
  state.chosen = null;
  redraw();
}

let waiting = false;
function redraw() {
  if (Number($("count").value) !== state.k) $("count").value = state.k;
  if (fromSlider(Number(slider.value)) !== state.k) slider.value = toSlider(state.k);
  slider.setAttribute("aria-valuetext", `${state.k} clusters`);
  computeCut();
  hideTip(); // it names a cluster of the cut before
  const largest = cut.clusters.reduce((most, { size }) => Math.max(most, size), 0);
  $("status").textContent =
    `${count(n)} points in ${state.k} ${state.k === 1 ? "cluster" : "clusters"}, the largest of ${count(largest)}`;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawCurves();
    drawChosen();
  });
}

slider.addEventListener("input", () => setClusters(fromSlider(Number(slider.value))));
slider.addEventListener("keydown", (event) => {
  const change = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (!change) return;
  event.preventDefault();
  setClusters(state.k + change);
});
$("count").max = data.most;
$("count").addEventListener("change", () => setClusters(Number($("count").value)));
$("order").addEventListener("change", () => {
  state.order = $("order").value;
  setClusters(state.k);
});
$("scale").addEventListener("change", () => {
  state.scale = $("scale").value;
  drawTree();
  remember();
});

function fillColumns() {
  $("color").replaceChildren(new Option("cluster", ""), ...columns.map((column) => new Option(column.name, column.name)));
  $("color").value = state.color;
  $("color-box").hidden = !columns.length;
}
$("color").addEventListener("change", () => {
  state.color = $("color").value;
  drawChosen();
});

let typing;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => search($("search").value), n > 20000 ? 200 : 60);
});
$("search").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !state.found?.points.length) return;
  locate(state.found.points[0]);
});

$("tree").addEventListener("click", (event) => event.target.closest("g[tabindex]")?.action());
$("tree").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.target.action?.();
});
$("tree").addEventListener("pointerover", (event) => {
  const group = event.target.closest("g[tabindex]");
  if (group && !group.querySelector("title")) element("title", {}, group).textContent = group.getAttribute("aria-label");
});
$("detail").addEventListener("input", drawTree);
$("up").addEventListener("click", () => look(parents[state.root]));
$("whole").addEventListener("click", () => look(ROOT));
$("zoom-in").addEventListener("click", () => zoomMiddle(1.6));
$("zoom-out").addEventListener("click", () => zoomMiddle(1 / 1.6));
$("zoom-reset").addEventListener("click", resetView);
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("download-all").addEventListener("click", () => save(labelsAsCsv([...cut.labels.keys()]), "labels.csv", "text/csv"));
$("download-tree").addEventListener("click", () => save(treeAsSvg(), "tree.svg", "image/svg+xml"));
$("download-map").addEventListener("click", async () => save(await mapAsPng(), "map.png"));
$("download").addEventListener("click", () =>
  save(labelsAsCsv(chosenPoints()), state.chosen === null ? "points.csv" : `cluster-${state.chosen}.csv`, "text/csv"));
$("copy").addEventListener("click", copyMembers);
$("look").addEventListener("click", () => look(cut.clusters[state.chosen].id));
$("close").addEventListener("click", () => chooseLabel(-1));
$("members").addEventListener("scroll", ({ target }) => {
  if (target.scrollTop + target.clientHeight > target.scrollHeight - 400) moreMembers();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (chosenPoints() !== null) chooseLabel(-1);
  else if (state.root !== ROOT) look(parents[state.root]);
});
for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => {
    state.falling = state.sort === button.dataset.sort ? !state.falling : button.dataset.sort !== "label";
    state.sort = button.dataset.sort;
    drawTable();
  });
}
$("map-panel").hidden = $("download-map").hidden = !place;
document.querySelector("main").classList.toggle("no-map", !place);
new ResizeObserver(() => cut && (drawTree(), drawMap(false), drawCurves())).observe(document.querySelector("main"));

window.explorer = { labels: () => Array.from(cut.labels), setClusters, state, view, renderer: () => renderer?.name, onScreen };
state.color = data.color ?? "";
fillColumns();
drawSuggestions();
restore(location.hash);
if (data.selection) setSelection(data.selection);
if (data.labels) setOwnLabels(data.labels);
window.addEventListener("hashchange", () => location.hash !== written && restore(location.hash));
if (data.notebook && window.parent !== window) listenToNotebook();
