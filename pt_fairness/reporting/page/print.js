"use strict";

/* The patterns of documents as paths: a gradient is an image of a hundred kilobytes in print. */

function startPrint() {
  const times = (start, step) => start + step.repeat(11);
  const down = times("M-24 0", "l24 24h2l-24-24zm7 0");
  const up = times("M0 0", "l-24 24h2l24-24zm7 0");
  const across = "v1h60v-1zm0 5";
  const rows = `M0 4${across.repeat(5)}`;
  const columns = times("M4 0", "v24h1v-24zm5 0");
  const dots = times("M2 2", `${"h2v2h-2zm0 5".repeat(5)}m5-25`);
  const patterns = [null, down, dots, rows, columns, up, down + up, rows + columns];
  patterns.forEach((path, i) => path
    && document.documentElement.style.setProperty(`--path${i}`, `path("${path}")`));
}

startPrint();
