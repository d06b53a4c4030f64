// The state in the address, so that a link opens the page as it is; and in a notebook, which can read and set it.

const DEFAULTS = { order: data.order, scale: "sqrt" };

function stateAsText() {
  const parts = new URLSearchParams({ k: state.k });
  for (const key of ["order", "scale"]) if (state[key] !== DEFAULTS[key]) parts.set(key, state[key]);
  if (state.color) parts.set("color", state.color);
  if (state.root !== ROOT) parts.set("part", state.root);
  if (state.chosen !== null) parts.set("cluster", state.chosen);
  if (state.query) parts.set("find", state.query);
  if (view.zoom !== 1 || view.x || view.y) parts.set("map", [view.x, view.y, view.zoom].map((each) => +each.toPrecision(5)).join(","));
  return `#${parts}`;
}

let remembering;
let written = "";
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    tellNotebook();
    written = stateAsText();
    try {
      history.replaceState(null, "", written);
    } catch {
      // a page inside of another has no address of its own
    }
  }, 150);
}

// What the address says, as far as it makes sense here: anyone can write one.
function restore(text) {
  const parts = new URLSearchParams(text.replace(/^#/, ""));
  const whole = (key, low, high) => {
    const value = Number(parts.get(key));
    return parts.has(key) && Number.isInteger(value) && value >= low && value <= high ? value : null;
  };
  if (["merge", "least", "cumulative"].includes(parts.get("order"))) state.order = parts.get("order");
  if (parts.get("scale") in SCALES) state.scale = parts.get("scale");
  if (columns.some((column) => column.name === parts.get("color"))) state.color = parts.get("color");
  state.root = whole("part", n, ROOT) ?? ROOT;
  const seen = (parts.get("map") ?? "").split(",").map(Number);
  if (place && seen.length === 3 && seen.every(Number.isFinite) && seen[2] > 0) Object.assign(view, { x: seen[0], y: seen[1], zoom: Math.min(200, seen[2]) });
  $("order").value = state.order;
  $("scale").value = state.scale;
  $("color").value = state.color;
  setClusters(whole("k", 1, data.most) ?? state.k);
  const label = whole("cluster", 0, state.k - 1);
  if (label !== null) state.chosen = label;
  if (parts.get("find")) {
    $("search").value = parts.get("find");
    search(parts.get("find"));
  }
}

// ---- the notebook: it sends { chamfer: "set", … } and is sent { chamfer: "state", … } when something changes

let told = "";
function tellNotebook() {
  if (!data.notebook || window.parent === window) return;
  const message = { chamfer: "state", n_clusters: state.k, order: state.order, selection: chosenPoints() ?? [] };
  const text = JSON.stringify(message);
  if (text === told) return;
  told = text;
  window.parent.postMessage(message, "*");
}

function listenToNotebook() {
  window.addEventListener("message", ({ data: message, source }) => {
    if (source !== window.parent || message?.chamfer !== "set") return;
    if (message.dark !== undefined) document.documentElement.dataset.theme = message.dark ? "dark" : "light";
    if (message.labels !== undefined) setOwnLabels(message.labels);
    if (["merge", "least", "cumulative"].includes(message.order)) $("order").value = state.order = message.order;
    if (message.n_clusters && (message.n_clusters !== state.k || message.order)) setClusters(message.n_clusters);
    if (message.selection) setSelection(message.selection);
  });
  window.parent.postMessage({ chamfer: "ready" }, "*");
}

function setSelection(points) {
  const now = chosenPoints() ?? [];
  if (now.length === points.length && now.every((p, i) => p === points[i])) return;
  clearSearch();
  state.chosen = null;
  state.found = points.length ? { points: points.filter((p) => p >= 0 && p < n), title: "Selection" } : null;
  drawChosen();
}

// Labels that the notebook gave are a column to colour by; -1 is noise, and grey.
function setOwnLabels(labels) {
  const at = columns.findIndex((column) => column.own);
  if (at >= 0) columns.splice(at, 1);
  if (labels) columns.push({ name: "labels", own: true, codes: Int32Array.from(labels), values: ownNames(labels) });
  else if (state.color === "labels") state.color = "";
  if (labels) state.color = "labels";
  fillColumns();
  redraw();
}

const ownNames = (labels) => Array.from({ length: labels.reduce((most, each) => Math.max(most, each), -1) + 1 }, (_, i) => String(i));
