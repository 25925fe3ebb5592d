// Tables are sorted by the buttons in their heads. A missing number comes last.
const key = (cell) => parseFloat(cell.dataset.key ?? cell.innerText.replace("−", "-").replace("< ", ""));
function compare(one, other) {
  const numbers = [key(one), key(other)];
  if (numbers.every(Number.isNaN)) return one.innerText.localeCompare(other.innerText);
  return numbers.some(Number.isNaN) ? Number.isNaN(numbers[0]) - 0.5 : numbers[0] - numbers[1];
}
function sort(head) {
  const body = head.closest("table").tBodies[0];
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.ariaSort = sign > 0 ? "ascending" : "descending";
  const place = head.cellIndex;
  const rows = [...body.rows].sort((one, other) => sign * compare(one.cells[place], other.cells[place]));
  body.append(...rows);
}
for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head));
  head.append(button);
}

// Vega-Lite places no names of points, so that Vega's transform is added to them.
const PLACES = {
  names: { anchor: ["right", "left", "top", "bottom", "top-right", "bottom-right", "top-left", "bottom-left"], offset: [7] },
  horizontals: { anchor: ["top-left", "bottom-left"], offset: [3] },
  verticals: { anchor: ["top-right", "bottom-right", "bottom-left"], offset: [3] },
};
function placed(specification) {
  for (const mark of specification.marks) {
    const place = PLACES[mark.name?.replace("_marks", "")];
    const label = { type: "label", size: { signal: "[max(width, 1), height]" }, avoidMarks: ["points_marks"] };
    if (place) mark.transform = [{ ...label, ...place }];
  }
  return specification;
}
const bytes = Uint8Array.from(atob(document.getElementById("figures").textContent), (c) => c.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const { data, figures } = await new Response(stream).json();
for (const figure of figures) {
  const { specification } = figure;  // Vega writes into the rows, so that each figure has its own
  specification.datasets = Object.fromEntries(figure.frames.map((name) => [name, structuredClone(data[name])]));
  await vegaEmbed(document.getElementById(`figure-${figure.name}`), specification, {
    ast: true, renderer: "svg", actions: false, defaultStyle: false, patch: placed, logLevel: 1,
    tooltip: { disableDefaultStyle: true },
  });
}
