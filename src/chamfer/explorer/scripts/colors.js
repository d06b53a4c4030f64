// Colours of points: by cluster, or by a column. Classes take the same colours, the most frequent first.

const MISSING = "#b8bcc2"; // lighter than the greys among the colours
const MOST_CLASSES = 20;
// A scale from dark blue to yellow that is even in lightness, also for eyes that do not tell red from green (cividis).
const SCALE = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

const currentColumn = () => columns.find((column) => column.name === state.color) ?? null;
const classColor = (code) => (code < 0 || code >= MOST_CLASSES ? MISSING : data.colors[code % data.colors.length]);

// The scale in 256 steps, each as a number 0xrrggbb.
const STEPS = Array.from({ length: 256 }, (_, step) => {
  const at = (step / 255) * (SCALE.length - 1);
  const first = Math.min(SCALE.length - 2, Math.floor(at));
  const [a, b] = [SCALE[first], SCALE[first + 1]].map((hex) => parseInt(hex.slice(1), 16));
  const channel = (shift) => Math.round(((a >> shift) & 255) * (1 - at + first) + ((b >> shift) & 255) * (at - first)) << shift;
  return channel(16) | channel(8) | channel(0);
});

function numberShade(value, { low, high }) {
  if (Number.isNaN(value)) return parseInt(MISSING.slice(1), 16);
  return STEPS[high > low ? Math.round(255 * Math.min(1, Math.max(0, (value - low) / (high - low)))) : 128];
}

// The four bytes of each point's colour, red first. What is not chosen is faint.
function pointColors() {
  const column = currentColumn();
  const table = shadeTable(column);
  const mask = state.chosen === null && state.found ? chosenMask(state.found.points) : null;
  const result = new Uint32Array(n);
  for (let p = 0; p < n; p++) {
    const shade = !column ? table[cut.labels[p]] : table ? table[column.codes[p] + 1] : numberShade(column.numbers[p], column);
    const strong = mask ? mask[p] : state.chosen === null || cut.labels[p] === state.chosen;
    result[p] = ((strong ? 235 : 42) << 24) | ((shade & 255) << 16) | (shade & 0xff00) | (shade >> 16);
  }
  return result;
}

// Colours by label or class, so that the loop over points has none to read; null for numbers.
function shadeTable(column) {
  const numbers = (shades) => shades.map((hex) => parseInt(hex.slice(1), 16));
  if (!column) return numbers(cut.clusters.map(({ color }) => color));
  return column.codes ? numbers([MISSING, ...column.values.map((_, code) => classColor(code))]) : null;
}

// Black or white, whichever is read better on a colour.
function inkOn(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#000" : "#fff";
}

function chosenMask(points) {
  const mask = new Uint8Array(n);
  for (const p of points) mask[p] = 1;
  return mask;
}

// Large clusters first, so that they do not cover small ones; what is chosen on top of all. A sort by counting.
function drawingOrder() {
  const ranked = cut.clusters.map(({ label, size }) => ({ label, size })).sort((a, b) => b.size - a.size);
  if (state.chosen !== null) ranked.push(...ranked.splice(ranked.findIndex(({ label }) => label === state.chosen), 1));
  const start = new Uint32Array(ranked.length);
  let sum = 0;
  for (const { label, size } of ranked) {
    start[label] = sum;
    sum += size;
  }
  const order = new Uint32Array(n);
  for (let p = 0; p < n; p++) order[start[cut.labels[p]]++] = p;
  if (state.chosen !== null || !state.found) return order;
  const mask = chosenMask(state.found.points);
  return Uint32Array.from([...order.filter((p) => !mask[p]), ...state.found.points]);
}

// What a column says of a cluster: its most frequent class, or its mean.
function summary(column, members) {
  if (column.codes) {
    const counts = new Map();
    for (const p of members) counts.set(column.codes[p], (counts.get(column.codes[p]) ?? 0) + 1);
    const [code, times] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best));
    return `${code < 0 ? "missing" : column.values[code]} (${Math.round((100 * times) / members.length)}%)`;
  }
  const known = members.filter((p) => !Number.isNaN(column.numbers[p]));
  return known.length ? `mean ${format(known.reduce((sum, p) => sum + column.numbers[p], 0) / known.length)}` : "–";
}

function valueOf(column, p) {
  if (column.codes) return column.codes[p] < 0 ? "missing" : column.values[column.codes[p]];
  return Number.isNaN(column.numbers[p]) ? "missing" : format(column.numbers[p]);
}

function drawLegend() {
  const column = currentColumn();
  const legend = $("legend");
  legend.replaceChildren();
  if (!column) return;
  const entry = (color, text) => {
    const swatch = html("span", { className: "swatch" });
    swatch.style.background = color;
    legend.append(html("span", { className: "entry" }, swatch, text));
  };
  if (column.numbers) {
    const bar = html("span", { className: "scale" });
    bar.style.background = `linear-gradient(to right, ${SCALE.join(",")})`;
    legend.append(format(column.low), bar, format(column.high));
    return;
  }
  column.values.slice(0, MOST_CLASSES).forEach((text, code) => entry(classColor(code), text));
  if (column.values.length > MOST_CLASSES) entry(MISSING, `${count(column.values.length - MOST_CLASSES)} more`);
}
