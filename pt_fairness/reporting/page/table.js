"use strict";

/* The table of averages: a click on the head of a column sorts by it, best first. */

function makeSortable(table) {
  const body = table.tBodies[0];
  const first = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  function key(column, row) {
    const cell = row.cells[column];
    if (cell.dataset.value === undefined) return cell.textContent.trim().toLowerCase();
    const value = cell.dataset.value === "" ? null : cell.dataset.value;
    const measure = heads[column].dataset.measure;
    if (measure !== undefined) return distance(Number(measure), value);
    return value === null ? Infinity : -Number(value);
  }

  function sort(column) {
    const head = heads[column];
    const back = head.dataset.order === "best";
    const keys = first.map((row) => key(column, row));
    const order = sortedBy(first.length, (i) => keys[i]);
    const known = order.filter((i) => keys[i] !== Infinity);
    const unknown = order.filter((i) => keys[i] === Infinity);
    body.append(...(back ? known.reverse() : known).concat(unknown).map((i) => first[i]));
    for (const other of heads) {
      other.removeAttribute("aria-sort");
      delete other.dataset.order;
    }
    head.dataset.order = back ? "worst" : "best";
    const numbers = first.map((row) => Number(row.cells[column].dataset.value));
    const rows = [...body.rows].map((row) => numbers[first.indexOf(row)]);
    const rising = column === 0 ? !back : rows[0] <= rows[known.length - 1];
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  }

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => sort(column));
  });
}

makeSortable(byId("systems"));

/** Let the reader choose between averages and differences, with or without p-values. */
function startViews(table) {
  const [shown, detailed] = [byId("shown"), byId("detailed")];
  if (shown) {
    shown.addEventListener("change", () => {
      table.classList.toggle("differences", shown.value !== "");
      byId("shown-note").hidden = shown.value === "";
    });
  }
  if (detailed) {
    detailed.addEventListener("change", () =>
      table.classList.toggle("detailed", detailed.checked));
  }
}

startViews(byId("systems"));
