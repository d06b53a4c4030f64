// The map: places of points, to zoom and to pan. Places lie within -1 … 1 of the middle.

const view = { x: 0, y: 0, zoom: 1 };
let renderer = null;
let shown = null; // { colors, order } of the last cut
let hovered = -1; // the point that the tip names, which a click takes
const extent = place ? extentOf() : null;

function extentOf() {
  const found = [1e-9, 1e-9];
  for (let i = 0; i < 2 * n; i++) found[i & 1] = Math.max(found[i & 1], Math.abs(place[i]));
  return found;
}

// Pixels of the page for each unit of places.
function pixelsPerUnit() {
  const { clientWidth: width, clientHeight: height } = $("map");
  return view.zoom * Math.min((width - 20) / (2 * extent[0]), (height - 20) / (2 * extent[1]));
}

function onScreen(p) {
  const unit = pixelsPerUnit();
  return [$("map").clientWidth / 2 + (place[2 * p] - view.x) * unit, $("map").clientHeight / 2 - (place[2 * p + 1] - view.y) * unit];
}

function drawMap(changed = true) {
  if (!place || !$("map").clientWidth) return;
  if (!renderer) {
    renderer = makeRenderer();
    listenToMap();
  }
  const canvas = $("map");
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  if (changed || !shown) shown = { colors: pointColors(), order: drawingOrder() };
  const unit = pixelsPerUnit() * ratio;
  const base = n > 50000 ? 1.8 : n > 20000 ? 2.4 : n > 3000 ? 3.4 : 6;
  const side = Math.min(14, base * view.zoom ** 0.4) * ratio;
  renderer.draw({ x: view.x, y: view.y, across: unit, down: unit }, shown.colors, shown.order, side);
}

let viewing = false;
function moveView(change) {
  Object.assign(view, change);
  view.zoom = Math.min(200, Math.max(0.5, view.zoom));
  view.x = Math.min(extent[0], Math.max(-extent[0], view.x));
  view.y = Math.min(extent[1], Math.max(-extent[1], view.y));
  hideTip();
  remember();
  if (viewing) return;
  viewing = true;
  requestAnimationFrame(() => {
    viewing = false;
    drawMap(false);
  });
}

// Zoom so that what is under (x, y) stays there.
function zoomAt(factor, x, y) {
  const zoom = Math.min(200, Math.max(0.5, view.zoom * factor));
  const away = (1 / pixelsPerUnit()) * (1 - view.zoom / zoom);
  const [dx, dy] = [x - $("map").clientWidth / 2, $("map").clientHeight / 2 - y];
  moveView({ zoom, x: view.x + dx * away, y: view.y + dy * away });
}
const zoomMiddle = (factor) => zoomAt(factor, $("map").clientWidth / 2, $("map").clientHeight / 2);

// ---- which point is where: points sorted into the cells of a grid, made when a pointer first comes

let grid = null;
function makeGrid() {
  const across = Math.max(1, Math.min(400, Math.floor(Math.sqrt(n / 2))));
  const cell = (value, axis) => Math.min(across - 1, Math.max(0, Math.floor(((value / extent[axis] + 1) / 2) * across)));
  const start = new Uint32Array(across * across + 1);
  const where = new Uint32Array(n);
  for (let p = 0; p < n; p++) {
    where[p] = cell(place[2 * p + 1], 1) * across + cell(place[2 * p], 0);
    start[where[p] + 1]++;
  }
  for (let i = 0; i < across * across; i++) start[i + 1] += start[i];
  const next = start.slice();
  const points = new Uint32Array(n);
  for (let p = 0; p < n; p++) points[next[where[p]]++] = p;
  grid = { across, cell, start, points };
}

// The nearest point within `reach` pixels; of those at one place the one drawn last.
function pointAt(event, reach) {
  if (!grid) makeGrid();
  const box = $("map").getBoundingClientRect();
  const unit = pixelsPerUnit();
  const x = view.x + (event.clientX - box.left - box.width / 2) / unit;
  const y = view.y - (event.clientY - box.top - box.height / 2) / unit;
  const far = reach / unit;
  let [best, nearest] = [-1, far * far];
  for (let row = grid.cell(y - far, 1); row <= grid.cell(y + far, 1); row++) {
    const [first, last] = [row * grid.across + grid.cell(x - far, 0), row * grid.across + grid.cell(x + far, 0)];
    for (let i = grid.start[first]; i < grid.start[last + 1]; i++) {
      const p = grid.points[i];
      const away = (place[2 * p] - x) ** 2 + (place[2 * p + 1] - y) ** 2;
      if (away <= nearest) [best, nearest] = [p, away];
    }
  }
  return best;
}

// ---- the tip

function hideTip() {
  hovered = -1;
  $("tip").hidden = true;
}

function showTip(point) {
  hovered = point;
  const tip = $("tip");
  tip.hidden = point < 0;
  if (point < 0) return;
  const column = currentColumn();
  const lines = [html("b", {}, name(point)), ` · cluster ${cut.labels[point]}`];
  if (column) lines.push(html("span", { className: "more" }, `${column.name}: ${valueOf(column, point)}`));
  if (data.texts) lines.push(html("span", { className: "more" }, data.texts[point]));
  tip.replaceChildren(...(data.images ? [thumbnail(point, 64)] : []), html("div", {}, ...lines));
  const [x, y] = onScreen(point);
  const room = [$("map").clientWidth - tip.offsetWidth, $("map").clientHeight - tip.offsetHeight];
  // Beside the point, on the side where there is room; a tip over the point would hide it.
  const left = x + 12 <= room[0] ? x + 12 : x - 12 - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(room[0], left))}px`;
  tip.style.top = `${Math.max(0, Math.min(room[1], y + 10))}px`;
}

// Bring a point into the middle, near enough to tell it from others.
function locate(point) {
  if (!place) return;
  moveView({ x: place[2 * point], y: place[2 * point + 1], zoom: Math.max(view.zoom, 4) });
  requestAnimationFrame(() => showTip(point));
}

// ---- pointers: one drags, two pinch, a wheel zooms

const pointers = new Map();
let dragged = 0; // pixels since the pointer came down: a click that moved is none

function pointerDown(event) {
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  $("map").setPointerCapture(event.pointerId);
  if (pointers.size === 1) dragged = 0;
}

function pointerMove(event) {
  const before = pointers.get(event.pointerId);
  if (!before) {
    if (event.pointerType !== "touch") showTip(pointAt(event, 9));
    return;
  }
  const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
  dragged += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, each]) => each);
    const apart = (each) => Math.hypot(each.x - other.x, each.y - other.y) || 1;
    const box = $("map").getBoundingClientRect();
    zoomAt(apart({ x: event.clientX, y: event.clientY }) / apart(before), other.x - box.left, other.y - box.top);
  } else if (dragged > 4) {
    const unit = pixelsPerUnit();
    moveView({ x: view.x - dx / unit, y: view.y + dy / unit });
  }
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
}

function pointerUp(event) {
  pointers.delete(event.pointerId);
  if (event.type !== "pointerup" || dragged > 4) return;
  const point = event.pointerType === "touch" || hovered < 0 ? pointAt(event, event.pointerType === "touch" ? 20 : 9) : hovered;
  chooseLabel(point < 0 ? -1 : cut.labels[point]);
  if (point >= 0) showTip(point);
}

function mapKey(event) {
  const step = 60 / pixelsPerUnit();
  const moves = {
    ArrowLeft: () => moveView({ x: view.x - step }), ArrowRight: () => moveView({ x: view.x + step }),
    ArrowUp: () => moveView({ y: view.y + step }), ArrowDown: () => moveView({ y: view.y - step }),
    "+": () => zoomMiddle(1.5), "=": () => zoomMiddle(1.5), "-": () => zoomMiddle(1 / 1.5), 0: resetView,
  };
  if (!moves[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}

const resetView = () => moveView({ x: 0, y: 0, zoom: 1 });

function listenToMap() {
  const canvas = $("map");
  canvas.addEventListener("pointerdown", pointerDown);
  canvas.addEventListener("pointermove", pointerMove);
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, pointerUp);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", mapKey);
  canvas.addEventListener("dblclick", (event) => zoomAt(2, event.offsetX, event.offsetY));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 150), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    renderer = graphicsRenderer(canvas, true);
    drawMap();
  });
}
