// What can be taken away: labels as CSV, the tree as SVG, the map as PNG.

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

function save(content, file, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Other programs know neither the style sheet nor its variables: what they say is written into the picture.
function treeAsSvg() {
  const copy = $("tree").cloneNode(true);
  const { width, height } = $("tree").getBoundingClientRect();
  const style = getComputedStyle(document.documentElement);
  const color = (key) => style.getPropertyValue(key).trim();
  for (const [key, value] of Object.entries({ xmlns: SVG, width, height, "font-family": "sans-serif", "font-size": 11 })) copy.setAttribute(key, value);
  copy.querySelectorAll(".reach, title").forEach((each) => each.remove());
  copy.querySelectorAll("path").forEach((each) => {
    each.setAttribute("fill", "none");
    each.setAttribute("stroke-width", each.classList.contains("rule") ? 0.5 : 1.5);
    if (each.classList.contains("rule")) each.setAttribute("stroke", color("--line"));
  });
  copy.querySelectorAll("text").forEach((each) => each.setAttribute("fill", color("--soft"))); // numbers have a style of their own
  copy.querySelectorAll(".faint").forEach((each) => each.setAttribute("opacity", 0.4));
  const ground = element("rect", { width: "100%", height: "100%", fill: color("--panel") });
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy).replaceAll("var(--ink)", color("--ink"));
}

async function mapAsPng() {
  drawMap(false); // the pixels of WebGL are there until the frame is shown, and no longer
  const picture = $("map");
  const page = html("canvas", { width: picture.width, height: picture.height });
  const context = page.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
  context.fillRect(0, 0, page.width, page.height);
  context.drawImage(picture, 0, 0);
  return new Promise((resolve) => page.toBlob(resolve, "image/png"));
}

async function copyMembers() {
  const text = chosenPoints().map(name).join("\n");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { value: text }); // pages opened from a file may not have the other way
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("copy").textContent = "Copied";
  setTimeout(() => ($("copy").textContent = "Copy"), 1500);
}
