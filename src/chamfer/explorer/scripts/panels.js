// The table of clusters, and the panel beside it: members of what is chosen, and what distinguishes it.

const AT_ONCE = 200; // members that are shown before the list is scrolled

// ---- small pictures: one atlas holds them all, row by row

let atlas = null;
function thumbnail(point, side) {
  const { wide, high, across, rows } = data.images;
  atlas ??= URL.createObjectURL(new Blob([unpackBytes(data.images.atlas)], { type: "image/png" }));
  const [width, height] = wide >= high ? [side, (side * high) / wide] : [(side * wide) / high, side];
  const picture = html("span", { className: "thumbnail" });
  picture.setAttribute("aria-hidden", "true");
  Object.assign(picture.style, {
    width: `${width}px`,
    height: `${height}px`,
    backgroundImage: `url("${atlas}")`,
    backgroundSize: `${across * width}px ${rows * height}px`,
    backgroundPosition: `${-(point % across) * width}px ${-Math.floor(point / across) * height}px`,
  });
  return picture;
}

// ---- the table

function drawTable() {
  const body = $("table").tBodies[0];
  const sign = state.falling ? -1 : 1;
  const rows = [...cut.clusters].sort((a, b) => sign * ((a[state.sort] ?? 0) - (b[state.sort] ?? 0)) || a.label - b.label);
  const column = currentColumn();
  $("column-head").textContent = column ? column.name : "";
  $("table").classList.toggle("plain", !column);
  const members = column ? membersByLabel() : null;
  body.replaceChildren(...rows.map((cluster) => tableRow(cluster, column, members?.[cluster.label])));
  for (const button of document.querySelectorAll("[data-sort]")) {
    const chosen = button.dataset.sort === state.sort;
    button.closest("th").setAttribute("aria-sort", chosen ? (state.falling ? "descending" : "ascending") : "none");
  }
}

function membersByLabel() {
  const groups = cut.clusters.map(() => []);
  for (let p = 0; p < n; p++) groups[cut.labels[p]].push(p);
  return groups;
}

function tableRow(cluster, column, members) {
  const row = document.createElement("tr");
  row.classList.toggle("chosen", cluster.label === state.chosen);
  const cell = (kind, ...inside) => row.appendChild(html("td", { className: kind }, ...inside.map((each) => each ?? "–")));
  const swatch = html("span", { className: "swatch" });
  swatch.style.background = cluster.color;
  cell("", swatch, String(cluster.label));
  cell("number", count(cluster.size));
  cell("number", format(cluster.height));
  cell("number", cluster.spread === undefined ? null : format(cluster.spread));
  const known = cluster.central !== undefined;
  cell("central", ...(known && data.images ? [thumbnail(cluster.central, 28)] : []), known ? name(cluster.central) : null);
  cell("column", column ? summary(column, members) : "");
  const button = html("button", { type: "button", textContent: "Members" });
  button.setAttribute("aria-label", `Members of cluster ${cluster.label}`);
  button.addEventListener("click", () => chooseLabel(cluster.label, true));
  cell("", button);
  return row;
}

// ---- what is chosen

function chooseLabel(label, focus = false) {
  state.chosen = label < 0 || (label === state.chosen && !focus) ? null : label;
  if (state.chosen !== null || label < 0) clearSearch();
  drawChosen();
  if (focus) $("members-title").focus();
}

let resting;
function drawChosen() {
  const points = chosenPoints();
  $("members-panel").classList.toggle("empty", points === null);
  $("look").hidden = state.chosen === null;
  $("members-title").textContent = membersTitle(points);
  drawStriking();
  listMembers(points ?? []);
  drawTree();
  drawMap();
  drawLegend();
  // A browser needs longer to lay out hundreds of rows than for all the rest: they wait until the slider rests.
  clearTimeout(resting);
  if (cut.clusters.length > 100 || (n > 50000 && currentColumn())) resting = setTimeout(drawTable, 100);
  else drawTable();
  remember();
}

function membersTitle(points) {
  if (!points) return "Choose a cluster in the tree, the map or the table";
  if (state.chosen !== null) return `Cluster ${state.chosen}: ${many(points.length, "point")}`;
  return `${state.found.title}: ${many(points.length, "point")}`;
}

// Columns in which the mean of the cluster is far from that of all other points, in standard deviations.
function drawStriking() {
  const striking = state.chosen === null ? [] : (cut.clusters[state.chosen].striking ?? []).filter(({ score }) => score);
  const list = $("striking");
  list.replaceChildren();
  $("striking-box").hidden = !striking.length;
  const most = Math.max(...striking.map(({ score }) => Math.abs(score)), 1);
  for (const { column, score } of striking) {
    const bar = html("span", { className: score < 0 ? "bar below" : "bar" });
    bar.style.width = `${(50 * Math.abs(score)) / most}%`;
    const text = `${score < 0 ? "−" : "+"}${Math.abs(score).toFixed(1)}`;
    list.append(html("li", {}, html("span", { className: "feature" }, data.features[column]), html("span", { className: "track" }, bar), html("span", { className: "number" }, text)));
  }
}

let listed = [];
function listMembers(points) {
  listed = points;
  $("members").replaceChildren();
  $("members").classList.toggle("pictures", Boolean(data.images && !data.texts));
  moreMembers();
}

function moreMembers() {
  const from = $("members").children.length;
  const made = listed.slice(from, from + AT_ONCE).map((p) => {
    const button = html("button", { type: "button", className: "member" });
    if (data.images) button.append(thumbnail(p, 40));
    button.append(html("span", { className: "name" }, name(p)));
    if (data.texts) button.append(html("span", { className: "snippet" }, data.texts[p]));
    button.addEventListener("click", () => locate(p));
    return html("li", {}, button);
  });
  $("members").append(...made);
}

// ---- search by name

let lowered = null; // names and texts in small letters
function search(query) {
  state.query = query;
  const wanted = query.trim().toLowerCase();
  if (!wanted) {
    state.found = null;
  } else {
    lowered ??= Array.from({ length: n }, (_, p) => `${name(p)}\n${data.texts?.[p] ?? ""}`.toLowerCase());
    const points = [];
    for (let p = 0; p < n; p++) if (lowered[p].includes(wanted)) points.push(p);
    state.found = { points, title: `Matches of “${query.trim()}”` };
  }
  state.chosen = null;
  $("matches").textContent = state.found ? matchCount(state.found.points.length) : "";
  drawChosen();
}

const matchCount = (found) => `${count(found)} ${found === 1 ? "match" : "matches"}`;

function clearSearch() {
  state.found = null;
  state.query = "";
  $("search").value = "";
  $("matches").textContent = "";
}
