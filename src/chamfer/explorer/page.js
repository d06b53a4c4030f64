// The explorer: one tree, cut anew whenever a control moves. Clusters are numbered as in Z: points are 0 … n - 1, merge m
// makes cluster n + m. `rank[m]` is the place of merge m in the chosen order; a cut into k clusters applies the merges of
// rank below n - k. A merge comes after those it joins in every order, so loops over merges downwards visit parents first.
"use strict";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const unpack = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

const n = data.n;
const children = unpack(data.children, Int32Array);
const heights = unpack(data.heights, Float64Array);
const sequences = Object.fromEntries(Object.entries(data.orders).map(([name, text]) => [name, unpack(text, Int32Array)]));
const place = data.map ? unpack(data.map, Float32Array) : null;
const described = new Map();
if (data.described) {
  const central = unpack(data.central, Int32Array);
  const spread = unpack(data.spread, Float64Array);
  unpack(data.described, Int32Array).forEach((id, i) => described.set(id, { central: central[i], spread: spread[i] }));
}
const sizes = new Int32Array(2 * n - 1).fill(1);
for (let m = 0; m < n - 1; m++) sizes[n + m] = sizes[children[2 * m]] + sizes[children[2 * m + 1]];

const ROOT = 2 * n - 2;
const name = (point) => (data.names ? data.names[point] : String(point));
const heightOf = (id) => (id < n ? 0 : heights[id - n]);
// Made once: asking a number for its text makes a formatter each time, which takes longer than all the rest of a table.
const count = new Intl.NumberFormat("en").format;
const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format;

// ---- colours: at each split the larger part keeps the colour, so that colours stay as the number of clusters changes

const COLORS = ["#2f6fbb", "#e2852e", "#3a9a55", "#c9403d", "#8a63b8", "#8a5f4c", "#d56fae", "#a8a12c", "#2fa8b8", "#6c7a89"];
const colorOf = (index) =>
  index < COLORS.length ? COLORS[index] : `hsl(${(index * 137.508) % 360} ${55 + 15 * (index % 2)}% ${42 + 6 * (index % 3)}%)`;

function colorsFor(sequence) {
  const index = new Int32Array(2 * n - 1);
  let next = 1;
  for (let i = n - 2; i >= 0; i--) {
    const m = sequence[i];
    const [a, b] = [children[2 * m], children[2 * m + 1]];
    const [large, small] = sizes[a] >= sizes[b] ? [a, b] : [b, a];
    index[large] = index[n + m];
    index[small] = next++;
  }
  return index;
}

const orders = Object.fromEntries(
  Object.entries(sequences).map(([order, sequence]) => {
    const rank = new Int32Array(n - 1);
    sequence.forEach((m, i) => (rank[m] = i));
    return [order, { rank, color: colorsFor(sequence) }];
  }),
);

// ---- the cut

const state = { order: "merge", k: data.clusters, root: ROOT, chosen: null, sort: "size", falling: true };
let cut; // { labels, clusters: [{ id, label, size, ... }], labelOf: Map id → label }

function applied(m) {
  return orders[state.order].rank[m] < n - state.k;
}

function computeCut() {
  const top = new Int32Array(2 * n - 1).fill(-1);
  for (let m = n - 2; m >= 0; m--) {
    if (!applied(m)) continue;
    const here = top[n + m] < 0 ? n + m : top[n + m];
    top[children[2 * m]] = top[children[2 * m + 1]] = here;
  }
  const labels = new Int32Array(n);
  const labelOf = new Map();
  for (let p = 0; p < n; p++) {
    const id = top[p] < 0 ? p : top[p];
    if (!labelOf.has(id)) labelOf.set(id, labelOf.size);
    labels[p] = labelOf.get(id);
  }
  const clusters = [...labelOf].map(([id, label]) => ({
    id, label, size: sizes[id], height: heightOf(id), color: colorOf(orders[state.order].color[id]), ...described.get(id),
  }));
  cut = { labels, labelOf, clusters };
}

function membersOf(id) {
  const found = [];
  const waiting = [id];
  while (waiting.length) {
    const each = waiting.pop();
    if (each < n) found.push(each);
    else waiting.push(children[2 * (each - n) + 1], children[2 * (each - n)]);
  }
  return found.sort((a, b) => a - b);
}

// ---- the tree

const SVG = "http://www.w3.org/2000/svg";
function element(tag, attributes, parent) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

// Clusters at the lower ends of the picture: the last merges of the part shown are opened until there are enough.
function shownLeaves(most) {
  const rank = orders[state.order].rank;
  const open = new Set();
  const leaves = new Set([state.root]);
  while (leaves.size < most) {
    let last = -1;
    for (const id of leaves) if (id >= n && (last < 0 || rank[id - n] > rank[last - n])) last = id;
    if (last < 0) break;
    leaves.delete(last);
    open.add(last);
    leaves.add(children[2 * (last - n)]).add(children[2 * (last - n) + 1]);
  }
  return open;
}

function drawTree() {
  const svg = $("tree");
  const { width, height } = svg.getBoundingClientRect();
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const inside = state.root === ROOT ? cut.clusters.length : cut.clusters.filter(({ id }) => isBelow(id, state.root)).length;
  const open = shownLeaves(Math.max(Number($("detail").value), Math.min(inside, 300)));
  const order = [];
  const waiting = [state.root];
  while (waiting.length) {
    const id = waiting.pop();
    if (open.has(id)) waiting.push(children[2 * (id - n) + 1], children[2 * (id - n)]);
    else order.push(id);
  }
  const bottom = height - 40;
  const step = (width - 16) / order.length;
  const x = new Map(order.map((id, i) => [id, 8 + step * (i + 0.5)]));
  const scaled = $("root-scale").checked ? Math.sqrt : (h) => h;
  const highest = Math.max(scaled(heightOf(state.root)), ...[...open].map((id) => scaled(heightOf(id)))) || 1;
  const y = (id) => bottom - (scaled(heightOf(id)) / highest) * (bottom - 10);
  const largest = Math.max(...order.map((id) => sizes[id]));
  for (const id of order) drawLeaf(svg, id, x.get(id), y(id), step, bottom, Math.sqrt(sizes[id] / largest));
  for (const id of [...open].sort((a, b) => a - b)) {
    const [a, b] = [children[2 * (id - n)], children[2 * (id - n) + 1]];
    x.set(id, (x.get(a) + x.get(b)) / 2);
    const group = node(svg, id, `${count(sizes[id])} points, height ${format(heightOf(id))}, look into it`, () => look(id));
    const line = `M${x.get(a)} ${y(a)}V${y(id)}H${x.get(b)}V${y(b)}`;
    element("path", { d: line, class: "reach" }, group); // a thin line is hard to hit
    element("path", { d: line, stroke: nodeColor(id) }, group);
  }
  $("up").disabled = $("whole").disabled = state.root === ROOT;
  $("part").textContent = state.root === ROOT ? "" : `${count(sizes[state.root])} of ${count(n)} points`;
}

function drawLeaf(svg, id, x, y, step, bottom, share) {
  const label = clusterAbove(id);
  const text = label < 0 ? "several clusters" : `part of cluster ${label}`;
  const group = node(svg, id, `${text}, ${count(sizes[id])} points, choose it`, () => chooseLabel(label));
  if (id >= n) element("path", { d: `M${x} ${y}V${bottom}`, stroke: nodeColor(id), "stroke-dasharray": "2 3" }, group);
  const wide = Math.max(1, Math.min(step * 0.8, 26));
  element("rect", { x: x - wide / 2, y: bottom, width: wide, height: 4 + 20 * share, rx: 1.5, fill: nodeColor(id) }, group);
  if (step > 26) element("text", { x, y: bottom + 37, "text-anchor": "middle" }, group).textContent = count(sizes[id]);
}

function node(svg, id, label, action) {
  const above = clusterAbove(id);
  const faint = state.chosen !== null && above !== state.chosen;
  const group = element("g", { tabindex: 0, role: "button", "aria-label": label, class: faint ? "faint" : "" }, svg);
  group.action = action;
  return group;
}

const parents = new Int32Array(2 * n - 1).fill(-1);
for (let m = 0; m < n - 1; m++) parents[children[2 * m]] = parents[children[2 * m + 1]] = n + m;

function isBelow(id, ancestor) {
  while (id >= 0 && id < ancestor) id = parents[id];
  return id === ancestor;
}

// Label of the cluster that holds all of `id`, -1 if the cut divides it.
function clusterAbove(id) {
  if (id >= n && !applied(id - n)) return -1;
  while (!cut.labelOf.has(id)) id = parents[id];
  return cut.labelOf.get(id);
}

function nodeColor(id) {
  const label = clusterAbove(id);
  return label < 0 ? "var(--ink)" : cut.clusters[label].color;
}

function look(id) {
  const focused = $("tree").contains(document.activeElement);
  state.root = id < n ? parents[id] : id;
  drawTree();
  if (focused) $("tree").querySelector("g").focus();  // what had the focus is gone
}

// ---- the map

let screen = null; // where points are drawn, for the pointer

function drawMap() {
  if (!place) return;
  const canvas = $("map");
  const ratio = window.devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  screen = project(width, height);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const side = Math.max(1, Math.round((n > 20000 ? 1.6 : n > 3000 ? 2.4 : 5) * ratio));
  const groups = cut.clusters.map(() => []);
  for (let p = 0; p < n; p++) groups[cut.labels[p]].push(p);
  // Small clusters last, so that large ones do not cover them; a chosen one on top of all.
  const drawn = cut.clusters.map(({ label }) => label).sort((a, b) => groups[b].length - groups[a].length);
  if (state.chosen !== null) drawn.push(...drawn.splice(drawn.indexOf(state.chosen), 1));
  for (const label of drawn) {
    const strength = state.chosen === null || label === state.chosen ? 235 : 60;
    drawSquares(image, groups[label], side, ratio, pixel(context, cut.clusters[label].color, strength));
  }
  context.putImageData(image, 0, 0);
}

// A colour as the four bytes of a pixel; the canvas knows how to read any notation.
function pixel(context, color, strength) {
  context.fillStyle = color;
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(context.fillStyle.slice(i, i + 2), 16));
  return new Uint32Array(new Uint8Array([red, green, blue, strength]).buffer)[0];
}

// Pixels are set one by one: for tens of thousands of points that is many times faster than asking for as many squares.
function drawSquares(image, points, side, ratio, value) {
  const pixels = new Uint32Array(image.data.buffer);
  for (const p of points) {
    const left = Math.round(screen[2 * p] * ratio - side / 2);
    const top = Math.round(screen[2 * p + 1] * ratio - side / 2);
    for (let row = top; row < top + side; row++) {
      const start = row * image.width + left;
      pixels.fill(value, start, start + side);
    }
  }
}

let range = null;
function project(width, height) {
  if (!range) {
    range = [Infinity, -Infinity, Infinity, -Infinity];
    for (let p = 0; p < n; p++) {
      range[0] = Math.min(range[0], place[2 * p]);
      range[1] = Math.max(range[1], place[2 * p]);
      range[2] = Math.min(range[2], place[2 * p + 1]);
      range[3] = Math.max(range[3], place[2 * p + 1]);
    }
  }
  const scale = Math.min((width - 16) / (range[1] - range[0] || 1), (height - 16) / (range[3] - range[2] || 1));
  const [x, y] = [(range[0] + range[1]) / 2, (range[2] + range[3]) / 2];
  const result = new Float32Array(2 * n);
  for (let p = 0; p < n; p++) {
    result[2 * p] = width / 2 + (place[2 * p] - x) * scale;
    result[2 * p + 1] = height / 2 - (place[2 * p + 1] - y) * scale;
  }
  return result;
}

function pointAt(event) {
  const box = $("map").getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let [best, nearest] = [-1, 64];
  for (let p = 0; p < n; p++) {
    const away = (screen[2 * p] - x) ** 2 + (screen[2 * p + 1] - y) ** 2;
    if (away < nearest) [best, nearest] = [p, away];
  }
  return best;
}

function showTip(event) {
  const point = pointAt(event);
  $("tip").hidden = point < 0;
  if (point < 0) return;
  $("tip").textContent = `${name(point)} · cluster ${cut.labels[point]}`;
  $("tip").style.left = `${Math.min(screen[2 * point] + 10, $("map").clientWidth - 140)}px`;
  $("tip").style.top = `${screen[2 * point + 1] + 10}px`;
}

// ---- the table and the members

function drawTable() {
  const body = $("table").tBodies[0];
  const sign = state.falling ? -1 : 1;
  const rows = [...cut.clusters].sort((a, b) => sign * ((a[state.sort] ?? 0) - (b[state.sort] ?? 0)) || a.label - b.label);
  body.replaceChildren(...rows.map(tableRow));
  for (const button of document.querySelectorAll("[data-sort]")) {
    const chosen = button.dataset.sort === state.sort;
    button.closest("th").setAttribute("aria-sort", chosen ? (state.falling ? "descending" : "ascending") : "none");
  }
}

function tableRow(cluster) {
  const row = document.createElement("tr");
  row.classList.toggle("chosen", cluster.label === state.chosen);
  const cell = (text, kind = "") => {
    const made = row.insertCell();
    made.className = kind;
    made.textContent = text;
    return made;
  };
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = cluster.color;
  cell(cluster.label).prepend(swatch);
  cell(count(cluster.size), "number");
  cell(format(cluster.height), "number");
  cell(cluster.spread === undefined ? "–" : format(cluster.spread), "number");
  cell(cluster.central === undefined ? "–" : name(cluster.central));
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Members";
  button.setAttribute("aria-label", `Members of cluster ${cluster.label}`);
  button.addEventListener("click", () => chooseLabel(cluster.label, true));
  cell("").append(button);
  return row;
}

function chooseLabel(label, focus = false) {
  state.chosen = label < 0 || (label === state.chosen && !focus) ? null : label;
  drawChosen();
  if (focus) $("members-title").focus();
}

let resting;
function drawChosen() {
  $("members-panel").classList.toggle("empty", state.chosen === null);
  $("members-title").textContent = "Choose a cluster in the tree, the map or the table";
  if (state.chosen !== null) {
    const cluster = cut.clusters[state.chosen];
    $("members-title").textContent = `Cluster ${cluster.label}: ${count(cluster.size)} points`;
    $("members").value = membersOf(cluster.id).map(name).join("\n");
  }
  drawTree();
  drawMap();
  // A browser needs longer to lay out hundreds of rows than for all the rest: they wait until the slider rests.
  clearTimeout(resting);
  if (cut.clusters.length > 100) resting = setTimeout(drawTable, 100);
  else drawTable();
}

function quote(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A spreadsheet would run text that starts like a formula; an apostrophe before it makes it text. Numbers stay.
function defuse(text) {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text;
}

function labelsAsCsv(points) {
  const rows = points.map((p) => `${quote(defuse(name(p)))},${cut.labels[p]}\n`);
  return `${data.names ? "name" : "point"},label\n${rows.join("")}`;
}

function save(text, file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copyMembers() {
  try {
    await navigator.clipboard.writeText($("members").value);
  } catch {
    $("members").select();
    document.execCommand("copy"); // pages opened from a file may not have the other way
  }
  $("copy").textContent = "Copied";
  setTimeout(() => ($("copy").textContent = "Copy"), 1500);
}

// ---- controls: the slider is logarithmic, since 2 or 3 clusters differ more than 200 or 201

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
  $("tip").hidden = true; // it names a cluster of the cut before
  const largest = Math.max(...cut.clusters.map(({ size }) => size));
  $("status").textContent =
    `${count(n)} points in ${state.k} ${state.k === 1 ? "cluster" : "clusters"}, the largest of ${count(largest)}`;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
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
$("tree").addEventListener("click", (event) => event.target.closest("g")?.action());
$("tree").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.target.action?.();
});
$("tree").addEventListener("pointerover", (event) => {
  const group = event.target.closest("g");
  if (group && !group.querySelector("title")) element("title", {}, group).textContent = group.getAttribute("aria-label");
});
$("root-scale").addEventListener("change", drawTree);
$("detail").addEventListener("input", drawTree);
$("up").addEventListener("click", () => look(parents[state.root]));
$("whole").addEventListener("click", () => look(ROOT));
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("download-all").addEventListener("click", () => save(labelsAsCsv([...cut.labels.keys()]), "labels.csv"));
$("download").addEventListener("click", () =>
  save(labelsAsCsv(membersOf(cut.clusters[state.chosen].id)), `cluster-${state.chosen}.csv`));
$("copy").addEventListener("click", copyMembers);
$("look").addEventListener("click", () => look(cut.clusters[state.chosen].id));
$("close").addEventListener("click", () => chooseLabel(-1));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (state.chosen !== null) chooseLabel(-1);
  else if (state.root !== ROOT) look(parents[state.root]);
});
for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => {
    state.falling = state.sort === button.dataset.sort ? !state.falling : button.dataset.sort !== "label";
    state.sort = button.dataset.sort;
    drawTable();
  });
}
if (place) {
  $("map").addEventListener("pointermove", showTip);
  $("map").addEventListener("pointerleave", () => ($("tip").hidden = true));
  $("map").addEventListener("click", (event) => {
    const point = pointAt(event);
    chooseLabel(point < 0 ? -1 : cut.labels[point]);
  });
} else {
  $("map-panel").hidden = true;
}
new ResizeObserver(() => cut && (drawTree(), drawMap())).observe(document.querySelector("main"));

window.explorer = { labels: () => Array.from(cut.labels), setClusters, state };
setClusters(data.clusters);
