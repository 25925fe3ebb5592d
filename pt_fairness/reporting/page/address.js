"use strict";

/* The choice of topic, measure and system in the address: #topic=389&measure=rKL@10&system=BM25. */

/* The milliseconds without a new choice after which the address changes: browsers limit changes. */
const PAUSE = 300;
const address = { first: null, last: null, timer: 0 };

/** Return the names of what can be chosen, and the key of each choice. */
function choices() {
  return [["topic", data.topics, "topic"], ["measure", data.measures.map((one) => one.name), "measure"],
    ["system", data.runs, "run"]];
}

function choiceAsText() {
  return choices().map(([key, names, own]) =>
    `${key}=${encodeURIComponent(names[chosen[own]]).replaceAll("%40", "@")}`).join("&");
}

/** Return the address of the page with another fragment. It is whole, because that of a frame in a
 * notebook has another base. */
function addressOf(fragment) {
  return `${location.href.split("#")[0]}#${fragment}`;
}

/** Put the choice into the address, as a step for the back button, soon. */
function keepChoice() {
  clearTimeout(address.timer);
  address.timer = setTimeout(() => {
    if (address.last === choiceAsText()) return;
    address.last = choiceAsText();
    history.pushState(null, "", addressOf(address.last));
  }, PAUSE);
}

/** Choose what the address says, and return the section that it names: #plane, #plane&topic=389. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1) || address.first);
  const section = [...given.keys()].find((key) => !given.get(key));
  const named = choices().filter(([key]) => given.get(key));
  if (named.length) {
    const unknown = named.filter(([key, names, own]) => {
      const place = names.indexOf(given.get(key));
      if (place >= 0) chosen[own] = place;
      return place < 0;
    });
    byId("measure").value = String(chosen.measure);
    chooseMeasure(chosen.measure);
    if (unknown.length) {
      byId("strips-detail").textContent = `The report does not have what the address names: ${
        unknown.map(([key]) => `${key} ${given.get(key).slice(0, 100)}`).join(", ")}.`;
    }
    address.last = choiceAsText();
  }
  // The whole choice, for the way back to it.
  if (location.hash && (named.length || address.last !== address.first)) {
    history.replaceState(null, "", addressOf([section, address.last].filter(Boolean).join("&")));
  }
  return section || (location.hash && named.length ? "topics" : "");
}

function startAddress() {
  address.first = choiceAsText();
  address.last = address.first;
  const section = byId(readAddress());
  addEventListener("hashchange", readAddress);
  const [{ type }] = performance.getEntriesByType("navigation");
  // The figure is drawn in the first frame.
  if (section && type === "navigate") {
    requestAnimationFrame(() => requestAnimationFrame(() => section.scrollIntoView()));
  }
}
