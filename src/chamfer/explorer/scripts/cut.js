// The cut. `rank[m]` is the place of merge m in the chosen order; a cut into k clusters applies the merges of rank below
// n - k, and numbers clusters by first appearance, as `chamfer.cut` does.

const state = {
  order: data.order,
  k: data.clusters,
  root: ROOT, // cluster whose part of the tree is shown
  chosen: null, // label of the chosen cluster
  found: null, // { points, title } of a search, or points that the notebook chose
  query: "",
  color: "", // name of the column to colour by; clusters if empty
  scale: "sqrt",
  sort: "size",
  falling: true,
};
let cut; // { labels, clusters: [{ id, label, size, ... }] }

// At each split the larger part keeps the colour, so that colours stay as the number of clusters changes.
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

const orders = {}; // made when first needed
function currentOrder() {
  if (!orders[state.order]) {
    const stored = data.orders[state.order];
    const sequence = stored ? unpack(stored, Int32Array) : Int32Array.from({ length: n - 1 }, (_, m) => m);
    const rank = new Int32Array(n - 1);
    sequence.forEach((m, i) => (rank[m] = i));
    orders[state.order] = { rank, color: colorsFor(sequence) };
  }
  return orders[state.order];
}

const applied = (m) => currentOrder().rank[m] < n - state.k;

const top_ = new Int32Array(2 * n - 1); // the cluster of the cut that holds each, -1 if it is one itself or above
const labelOf = new Int32Array(2 * n - 1); // label of each cluster of the cut, -1 for all others

function computeCut() {
  const { rank, color } = currentOrder();
  const last = n - state.k;
  top_.fill(-1);
  labelOf.fill(-1);
  for (let m = n - 2; m >= 0; m--) {
    if (rank[m] >= last) continue;
    const here = top_[n + m] < 0 ? n + m : top_[n + m];
    top_[children[2 * m]] = top_[children[2 * m + 1]] = here;
  }
  const labels = new Int32Array(n);
  const clusters = [];
  for (let p = 0; p < n; p++) {
    const id = top_[p] < 0 ? p : top_[p];
    if (labelOf[id] < 0) {
      labelOf[id] = clusters.length;
      const shade = data.colors[color[id] % data.colors.length];
      clusters.push({ id, label: clusters.length, size: sizes[id], height: heightOf(id), color: shade, ...described.get(id) });
    }
    labels[p] = labelOf[id];
  }
  cut = { labels, clusters };
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

function isBelow(id, ancestor) {
  while (id >= 0 && id < ancestor) id = parents[id];
  return id === ancestor;
}

// Label of the cluster that holds all of `id`, -1 if the cut divides it.
function clusterAbove(id) {
  if (labelOf[id] >= 0) return labelOf[id];
  return top_[id] < 0 ? -1 : labelOf[top_[id]];
}

function nodeColor(id) {
  const label = clusterAbove(id);
  return label < 0 ? "var(--ink)" : cut.clusters[label].color;
}

// Points that are chosen: of a cluster, of a search, or by the notebook; null if none are.
function chosenPoints() {
  if (state.chosen !== null) return membersOf(cut.clusters[state.chosen].id);
  return state.found ? state.found.points : null;
}
