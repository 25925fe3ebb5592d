"use strict";

/* Small screens: a hint where a table scrolls, and names that do not fit in full on a click. */

function hintAt(box) {
  const hint = element("p", { class: "note hint no-print", hidden: "" });
  const tell = () => {
    const across = box.scrollWidth > box.clientWidth + 1;
    const down = box.scrollHeight > box.clientHeight + 1;
    hint.hidden = !across && !down;
    hint.textContent = `Scroll ${[across ? "sideways" : "", down ? "down" : ""]
      .filter(Boolean).join(" and ")} to see all of this table.`;
  };
  box.before(hint);
  const observer = new ResizeObserver(tell);
  observer.observe(box);
  observer.observe(box.firstElementChild);
}

function startNarrow() {
  document.querySelectorAll(".scroll").forEach(hintAt);
  document.addEventListener("click", ({ target }) => {
    const name = target.closest(".name");
    if (name) name.classList.toggle("full");
  });
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) > 1) {
      width = contentRect.width;
      cutNames(document);
    }
  }).observe(document.body);
}

startNarrow();
