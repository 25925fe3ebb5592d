"use strict";

/* The patterns of groups as paths: a gradient is an image of a hundred kilobytes in print. */

/** Return the paths of the patterns in a box of at most `width` pixels. */
function patternPaths(width) {
  const times = (start, step) => start + step.repeat(Math.ceil((width + 24) / 7));
  const down = times("M-24 0", "l24 24h2l-24-24zm7 0");
  const up = times("M0 0", "l-24 24h2l24-24zm7 0");
  const rows = `M0 4${`v1h${width}v-1zm0 5`.repeat(5)}`;
  const columns = times("M4 0", "v24h1v-24zm7 0");
  const dots = times("M2 2", `${"h2v2h-2zm0 7".repeat(3)}m7-21`);
  return { 1: down, 2: dots, 3: rows, 4: columns, 5: up, 6: down + up, 7: rows + columns };
}

/* The widths of boxes in pixels: of documents, of parts of bars below a fifth, of long parts. */
const BOXES = { path: 35, part: 105, bar: 525 };

function startPrint() {
  for (const part of document.querySelectorAll(".bar .fill")) {
    part.classList.toggle("long", parseFloat(part.style.width) > 20);
  }
  for (const [name, width] of Object.entries(BOXES)) {
    for (const [pattern, path] of Object.entries(patternPaths(width))) {
      document.documentElement.style.setProperty(`--${name}${pattern}`, `path("${path}")`);
    }
  }
}

startPrint();
