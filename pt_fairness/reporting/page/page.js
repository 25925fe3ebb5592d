// The buttons in the heads of a table sort it. What is no number comes behind numbers.
function key(cell) {
  const text = cell.dataset.key ?? cell.innerText.replace("−", "-").replace("< ", "");
  const number = parseFloat(text);
  return Number.isNaN(number) ? Infinity : number;
}
function sort(head) {
  const place = head.cellIndex;
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.ariaSort = sign > 0 ? "ascending" : "descending";
  const body = head.closest("table").tBodies[0];
  body.append(...[...body.rows].sort((one, other) => {
    const [first, second] = [one.cells[place], other.cells[place]];
    const order = key(first) - key(second);
    return sign * (order || first.innerText.localeCompare(second.innerText));
  }));
}
for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head));
  head.append(button);
}

// Vega-Lite finds no places for names, so that Vega's transform is added to their marks.
const corners = ["top-right", "bottom-right", "top-left", "bottom-left"];
const PLACES = {
  names: { anchor: ["right", "left", "top", "bottom", ...corners], offset: [7] },
  horizontals: { anchor: ["top-left", "bottom-left"], offset: [3] },
  verticals: { anchor: corners, offset: [3] },
};
function placed(specification) {
  for (const mark of specification.marks) {
    const place = PLACES[mark.name?.replace("_marks", "")];
    const size = { signal: "[max(width, 1), height]" };
    if (place) mark.transform = [{ type: "label", size, avoidMarks: ["points_marks"], ...place }];
  }
  return specification;
}
const text = document.getElementById("figures").textContent;
const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const { data, figures } = await new Response(stream).json();
for (const { name, frames, specification } of figures) {
  // Vega writes into the rows, so that each figure has its own.
  const own = frames.map((frame) => [frame, structuredClone(data[frame])]);
  specification.datasets = Object.fromEntries(own);
  vegaEmbed(document.getElementById(`figure-${name}`), specification, {
    ast: true, renderer: "svg", actions: false, defaultStyle: false, patch: placed, logLevel: 1,
    tooltip: { disableDefaultStyle: true },
  });
}
