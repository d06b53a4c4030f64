// Suggested numbers of clusters: buttons, and the curves that they come from, under the slider.

const CURVES = {
  separation: "separation", silhouette: "silhouette", calinski_harabasz: "Calinski–Harabasz",
  modularity: "modularity", gap: "gap of heights",
};

function suggestions() {
  const found = new Map(); // number → reasons
  for (const { k, criterion } of data.choice?.suggestions ?? []) {
    if (k <= data.most) found.set(k, [...(found.get(k) ?? []), CURVES[criterion] ?? criterion]);
  }
  for (const k of data.layers ?? []) if (k <= data.most) found.set(k, [...(found.get(k) ?? []), "layer"]);
  return found;
}

function drawSuggestions() {
  const found = suggestions();
  $("suggested").hidden = !found.size;
  $("suggestions").replaceChildren(...[...found].sort((a, b) => a[0] - b[0]).map(([k, reasons]) => {
    const button = html("button", { type: "button", className: "chip" }, html("b", {}, String(k)), ` ${reasons.join(", ")}`);
    button.addEventListener("click", () => setClusters(k));
    return button;
  }));
}

function drawCurves() {
  const svg = $("curves");
  svg.replaceChildren();
  const known = Boolean(data.choice) && state.order === data.choice.order;
  svg.toggleAttribute("hidden", !known);
  const { width, height } = svg.getBoundingClientRect();
  if (!known || !width) return;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const x = (k) => 8 + (width - 16) * (data.most > 1 ? Math.log(k) / Math.log(data.most) : 0);
  data.choice.curves.forEach(({ criterion, values }, i) => {
    const finite = values.filter((value) => value !== null);
    const [low, high] = [Math.min(...finite), Math.max(...finite)];
    const y = (value) => height - 4 - ((value - low) / (high - low || 1)) * (height - 10);
    let line = "";
    values.forEach((value, at) => (line += value === null ? "" : `${line && values[at - 1] !== null ? "L" : "M"}${x(at + 1).toFixed(1)} ${y(value).toFixed(1)}`));
    const color = data.colors[i % data.colors.length];
    element("title", {}, element("path", { d: line, stroke: color, class: i ? "" : "first" }, svg)).textContent = CURVES[criterion];
    const best = data.choice.suggestions.find((each) => each.criterion === criterion);
    if (best && values[best.k - 1] != null) element("circle", { cx: x(best.k), cy: y(values[best.k - 1]), r: 3, fill: color }, svg);
  });
  element("path", { d: `M${x(state.k)} 0V${height}`, class: "here" }, svg);
}
