// Shows the page in a frame of its own, and carries what changes between it and the notebook's kernel. Not part of the page.

const KEYS = ["n_clusters", "order", "selection", "given_labels"];

function isDark() {
  if (document.body.dataset.jpThemeLight) return document.body.dataset.jpThemeLight === "false"; // JupyterLab
  if (document.body.dataset.vscodeThemeKind) return document.body.dataset.vscodeThemeKind.includes("dark");
  if (document.documentElement.dataset.theme) return document.documentElement.dataset.theme === "dark"; // marimo
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.title = "Explorer of a dendrogram";
  Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "0" });
  const send = (message) => frame.contentWindow?.postMessage({ chamfer: "set", ...message }, "*");
  let mine = false; // a change that the page itself made is not sent back to it
  const listen = ({ data, source }) => {
    if (source !== frame.contentWindow) return;
    if (data?.chamfer === "ready") {
      send({ dark: isDark(), n_clusters: model.get("n_clusters"), order: model.get("order"), selection: model.get("selection") });
      if (model.get("given_labels").length) send({ labels: model.get("given_labels") });
    }
    if (data?.chamfer !== "state") return;
    mine = true;
    for (const key of ["n_clusters", "order", "selection"]) model.set(key, data[key]);
    model.save_changes();
    mine = false;
  };
  const changed = () => {
    if (mine) return;
    const labels = model.get("given_labels");
    send({ n_clusters: model.get("n_clusters"), order: model.get("order"), labels: labels.length ? labels : null });
    send({ selection: model.get("selection") });
  };
  window.addEventListener("message", listen);
  for (const key of KEYS) model.on(`change:${key}`, changed);
  frame.srcdoc = model.get("page");
  el.append(frame);
  return () => {
    window.removeEventListener("message", listen);
    for (const key of KEYS) model.off(`change:${key}`, changed);
  };
}

export default { render };
