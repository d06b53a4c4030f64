// The tree: the last merges of the part shown, an axis of heights, and a number for each cluster.

const LEFT = 46; // room for the axis
const SCALES = {
  linear: { to: (h) => h },
  sqrt: { to: Math.sqrt },
  log: { to: Math.log10 },
};

// Clusters at the lower ends of the picture: the last merges of the part shown are opened until there are enough.
function openMerges(most) {
  const { rank } = currentOrder();
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

function leavesInOrder(open) {
  const order = [];
  const waiting = [state.root];
  while (waiting.length) {
    const id = waiting.pop();
    if (open.has(id)) waiting.push(children[2 * (id - n) + 1], children[2 * (id - n)]);
    else order.push(id);
  }
  return order;
}

// From heights to pixels. A logarithm has no place for 0: it begins a little below the lowest height shown.
function heightScale(shown, bottom) {
  const { to } = SCALES[state.scale];
  const highest = Math.max(...shown, 0) || 1;
  const lowest = state.scale === "log" ? Math.min(...shown.filter((h) => h > 0), highest) : 0;
  const span = to(highest) - to(lowest || (state.scale === "log" ? highest : 0));
  const from = state.scale === "log" ? to(lowest) - 0.05 * (span || 1) : 0;
  const whole = to(highest) - from || 1;
  const y = (h) => bottom - (Math.max(0, (h > 0 ? to(h) : from) - from) / whole) * (bottom - 14);
  return { y, lowest, highest };
}

// Round heights, far enough apart to be read.
function ticks({ y, lowest, highest }) {
  const exponent = Math.floor(Math.log10(highest));
  const candidates = [];
  if (state.scale === "linear") {
    const step = [1, 2, 5, 10].map((m) => m * 10 ** (exponent - 1)).find((each) => highest / each <= 6) ?? 10 ** exponent * 2;
    for (let i = 0; i * step <= highest * 1.0001; i++) candidates.push(i * step);
  } else {
    const least = state.scale === "log" ? Math.floor(Math.log10(lowest || highest)) : exponent - 4;
    for (let e = exponent; e >= least; e--) for (const m of [5, 2, 1]) candidates.push(m * 10 ** e);
    if (state.scale === "sqrt") candidates.push(0);
  }
  const kept = [];
  for (const each of candidates.sort((a, b) => (a && b ? b - a : a - b))) { // 0 first, then from the top
    if (each > highest * 1.0001 || (state.scale === "log" && each < lowest)) continue;
    if (kept.every((other) => Math.abs(y(other) - y(each)) > 22)) kept.push(each);
  }
  return kept;
}

function drawAxis(svg, scale, bottom, width) {
  const group = element("g", { class: "axis", "aria-hidden": "true" }, svg);
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format;
  for (const each of ticks(scale)) {
    const y = scale.y(each);
    element("path", { d: `M${LEFT - 4} ${y}H${width}`, class: "rule" }, group);
    element("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, group).textContent = short(each);
  }
}

function drawTree() {
  const svg = $("tree");
  const { width, height } = svg.getBoundingClientRect();
  if (!width) return;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const inside = state.root === ROOT ? cut.clusters.length : cut.clusters.filter(({ id }) => isBelow(id, state.root)).length;
  const open = openMerges(Math.max(Number($("detail").value), Math.min(inside, 300)));
  const order = leavesInOrder(open);
  const bottom = height - 40;
  const step = (width - LEFT - 8) / order.length;
  const x = new Map(order.map((id, i) => [id, LEFT + step * (i + 0.5)]));
  const merges = [...open].sort((a, b) => a - b);
  const scale = heightScale([...merges, ...order].map(heightOf), bottom);
  drawAxis(svg, scale, bottom, width - 8);
  const largest = Math.max(...order.map((id) => sizes[id]));
  for (const id of order) drawLeaf(svg, id, x.get(id), scale.y(heightOf(id)), step, bottom, Math.sqrt(sizes[id] / largest));
  for (const id of merges) drawMerge(svg, id, x, (each) => scale.y(heightOf(each)));
  drawNumbers(svg, [...x], (each) => scale.y(heightOf(each)));
  $("up").disabled = $("whole").disabled = state.root === ROOT;
  $("part").textContent = state.root === ROOT ? "" : `${count(sizes[state.root])} of ${count(n)} points`;
}

function drawMerge(svg, id, x, y) {
  const [a, b] = [children[2 * (id - n)], children[2 * (id - n) + 1]];
  x.set(id, (x.get(a) + x.get(b)) / 2);
  const group = node(svg, id, `${count(sizes[id])} points, height ${format(heightOf(id))}, look into it`, () => look(id));
  const line = `M${x.get(a)} ${y(a)}V${y(id)}H${x.get(b)}V${y(b)}`;
  element("path", { d: line, class: "reach" }, group); // a thin line is hard to hit
  element("path", { d: line, stroke: nodeColor(id) }, group);
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

// The label of each cluster, on the top of its part of the tree, as far as there is room.
function drawNumbers(svg, places, y) {
  const tops = places.filter(([id]) => labelOf[id] >= 0).sort((a, b) => a[1] - b[1]);
  let edge = -Infinity;
  for (const [id, x] of tops) {
    const text = String(labelOf[id]);
    const wide = 8 + 7 * text.length;
    if (x - wide / 2 < edge + 2) continue;
    edge = x + wide / 2;
    const group = element("g", { class: "number-chip", "aria-hidden": "true" }, svg);
    element("rect", { x: x - wide / 2, y: y(id) - 8, width: wide, height: 16, rx: 8, fill: nodeColor(id) }, group);
    element("text", { x, y: y(id) + 4, "text-anchor": "middle", style: `fill: ${inkOn(nodeColor(id))}` }, group).textContent = text;
  }
}

function node(svg, id, label, action) {
  const faint = state.chosen !== null && clusterAbove(id) !== state.chosen;
  const group = element("g", { tabindex: 0, role: "button", "aria-label": label, class: faint ? "faint" : "" }, svg);
  group.action = action;
  return group;
}

function look(id) {
  const focused = $("tree").contains(document.activeElement);
  state.root = id < n ? parents[id] : id;
  drawTree();
  remember();
  if (focused) $("tree").querySelector("g[tabindex]").focus(); // what had the focus is gone
}
