// What the page was written with. Clusters are numbered as in Z: points are 0 … n - 1, merge m makes cluster n + m. A merge
// comes after those it joins, so loops over merges downwards visit parents first.
"use strict";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);

// A loop, since a function called for each of ten million characters would take longer than all the rest.
function unpackBytes(text) {
  const bytes = atob(text);
  const result = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes.charCodeAt(i);
  return result;
}
const unpack = (text, Type) => new Type(unpackBytes(text).buffer);

const n = data.n;
const ROOT = 2 * n - 2;
const children = unpack(data.children, Int32Array);
const heights = unpack(data.heights, Float64Array);
const place = data.map ? unpack(data.map.places, Float32Array) : null;
const sizes = new Int32Array(2 * n - 1).fill(1);
const parents = new Int32Array(2 * n - 1).fill(-1);
for (let m = 0; m < n - 1; m++) {
  sizes[n + m] = sizes[children[2 * m]] + sizes[children[2 * m + 1]];
  parents[children[2 * m]] = parents[children[2 * m + 1]] = n + m;
}

const name = (point) => (data.names ? data.names[point] : String(point));
const heightOf = (id) => (id < n ? 0 : heights[id - n]);
// Made once: asking a number for its text makes a formatter each time, which takes longer than all the rest of a table.
const count = new Intl.NumberFormat("en").format;
const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format;
const many = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// Centre, spread and striking columns of the clusters that can be shown.
const described = new Map();
if (data.described) {
  const central = unpack(data.described.central, Int32Array);
  const spread = unpack(data.described.spread, Float64Array);
  const traits = data.described.traits ? unpack(data.described.traits, Int32Array) : [];
  const scores = data.described.scores ? unpack(data.described.scores, Float32Array) : [];
  const each = data.described.each;
  unpack(data.described.ids, Int32Array).forEach((id, i) => {
    const striking = [...traits.slice(i * each, (i + 1) * each)].map((column, j) => ({ column, score: scores[i * each + j] }));
    described.set(id, { central: central[i], spread: spread[i], striking });
  });
}

// Columns to colour by: { name, codes, values } of classes, or { name, numbers, low, high }.
const columns = (data.columns ?? []).map((column) =>
  column.codes
    ? { ...column, codes: unpack(column.codes, Int32Array) }
    : { ...column, numbers: unpack(column.numbers, Float32Array) },
);

const SVG = "http://www.w3.org/2000/svg";
function element(tag, attributes, parent) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

function html(tag, attributes, ...inside) {
  const made = document.createElement(tag);
  Object.assign(made, attributes);
  made.append(...inside);
  return made;
}
