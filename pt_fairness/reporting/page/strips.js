"use strict";

/* The first documents of all systems for a topic, and the choice of topic, measure and groups. */

const chosen = { topic: 0, measure: 0, source: 0, run: 0 };

/** Return the topics, those on which the systems differ most by the chosen measure first. */
function topicsByDifference() {
  const most = innerWidth < 500 ? 22 : 72;  // letters that fit into the menu
  const spreads = data.values[chosen.measure].map((topic) => {
    const values = topic.map(numberOf).filter(Number.isFinite);
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length) || 0;
  });
  return sortedBy(spreads.length, (topic) => -spreads[topic]).map((topic) => [topic,
    `${topicName(topic, most)} (SD ${asText(spreads[topic])})`, topicName(topic)]);
}

function runsByValue() {
  const values = data.values[chosen.measure][chosen.topic];
  return sortedBy(values.length, (run) => distance(chosen.measure, values[run]));
}

/** Return the groups of a document of the chosen topic as pairs of group and share. */
function groupsOf(topic, source, doc) {
  if (!data.sources.length) return [];
  const set = data.rankings[topic].sets[source][doc];
  return set < 0 ? [] : data.sources[source].sets[set];
}

function groupNames(groups, source) {
  if (!groups.length) return "no group";
  const { labels } = data.sources[source];
  const equal = groups.every(([, share]) => share === groups[0][1]);
  return groups.map(([group, share]) =>
    (equal ? labels[group] : `${labels[group]} ${share.toFixed(2)}`)).join(", ");
}

function relevanceOf(label) {
  if (label === null) return "not judged";
  return label > 0 ? `relevant (${label})` : `not relevant (${label})`;
}

function describe(doc) {
  const { docs, labels } = data.rankings[chosen.topic];
  const groups = groupNames(groupsOf(chosen.topic, chosen.source, doc), chosen.source);
  const title = titleOf(chosen.topic, doc);
  return `${docs[doc]}${title && ` “${title}”`}: ${groups}; ${relevanceOf(labels[doc])}`;
}

function stripRow(run, texts) {
  const ranking = data.rankings[chosen.topic];
  const name = element("button", { type: "button", "data-run": run },
    element("span", { class: "name" }, data.runs[run]));
  const row = element("tr", { "data-run": run },
    element("th", { scope: "row" }, name),
    element("td", { class: "value" }, asText(data.values[chosen.measure][chosen.topic][run])));
  const counting = whichCount(chosen.measure, chosen.topic, run);
  ranking.runs[run].forEach((doc, i) => {
    const counts = counting[i];
    const said = `rank ${i + 1}: ${texts[doc]}; ${counts ? "counts" : "does not count"}`;
    const groups = groupsOf(chosen.topic, chosen.source, doc);
    row.append(element("td", { class: counts ? "counts" : "left-out", tabindex: -1,
      "data-doc": doc, "aria-label": said },
      documentBox(groups, ranking.labels[doc] > 0)));
  });
  if (!ranking.runs[run].length) row.append(element("td", { class: "note", colspan: data.depth },
    "no results"));
  return row;
}

function drawStrips() {
  const table = byId("strips");
  table.style.setProperty("--depth", data.depth);
  const order = runsByValue();
  const texts = data.rankings[chosen.topic].docs.map((_, doc) => describe(doc));
  const ranks = Array.from({ length: data.depth }, (_, i) =>
    element("th", { scope: "col" }, String(i + 1)));
  byId("strips-caption").textContent = `Topic ${topicName(chosen.topic)}: the first ${data.depth} `
    + `documents of each system, sorted by ${data.measures[chosen.measure].name}, best first. `
    + whatCounts();
  table.tHead.replaceChildren(element("tr", {}, element("th", { scope: "col" }, "system"),
    element("th", { scope: "col", title: data.measures[chosen.measure].name },
      data.measures[chosen.measure].name), ...ranks));
  table.tBodies[0].replaceChildren(...order.map((run) => stripRow(run, texts)));
  const first = table.querySelector("td[data-doc]");
  if (first) first.tabIndex = 0;
  byId("strips-detail").textContent = undefinedHere()
    || "Point to a document, or move among the documents with the arrow keys.";
  showKey(byId("strips-key"), chosen.source);
  markRun();
}

/** Return a sentence on the documents that the chosen measure counts. */
function whatCounts() {
  const { name, condensed, judged, cutoff } = data.measures[chosen.measure];
  const kind = judged ? "judged documents" : condensed ? "documents with a group" : "documents";
  return `Framed: the ${cutoff === null ? "" : `first ${cutoff} `}${kind}, which count for ${name}. `
    + "Faint: documents that do not count.";
}

function undefinedHere() {
  const { name } = data.measures[chosen.measure];
  return data.undefined[chosen.measure].includes(chosen.topic)
    ? `${name} is undefined for topic ${data.topics[chosen.topic]}.` : "";
}

function markRun() {
  for (const row of byId("strips").tBodies[0].rows) {
    const own = Number(row.dataset.run) === chosen.run;
    row.classList.toggle("chosen", own);
    row.querySelector("th button").setAttribute("aria-pressed", own);
  }
  cutNames(byId("strips"));
}

/** Say what a document is, and mark it in the rows of the other systems. */
function tellDocument(cell) {
  const table = byId("strips");
  for (const one of table.querySelectorAll("td.same")) one.classList.remove("same");
  for (const one of table.querySelectorAll(`td[data-doc="${cell.dataset.doc}"]`)) {
    one.classList.add("same");
  }
  const run = data.runs[cell.parentNode.dataset.run];
  const said = cell.getAttribute("aria-label");
  cell.title = said;
  byId("strips-detail").textContent = `${run}, ${said}`;
}

function focusCell(from, to) {
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

function moveInStrips(event) {
  const cell = event.target.closest("td[data-doc]");
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const cells = [...cell.parentNode.querySelectorAll("td[data-doc]")];
  const column = cells.indexOf(cell);
  const rows = [...byId("strips").tBodies[0].rows]
    .map((row) => [...row.querySelectorAll("td[data-doc]")]).filter((row) => row.length);
  const row = rows.findIndex((one) => one.includes(cell));
  const inRow = (next) => rows[next] && rows[next][Math.min(column, rows[next].length - 1)];
  const moves = { ArrowRight: () => cells[column + 1], ArrowLeft: () => cells[column - 1],
    ArrowDown: () => inRow(row + 1), ArrowUp: () => inRow(row - 1),
    Home: () => cells[0], End: () => cells[cells.length - 1] };
  if (moves[event.key]) {
    event.preventDefault();
    const next = moves[event.key]();
    if (next) focusCell(cell, next);
  } else if (event.key === "PageDown" || event.key === "PageUp") {
    event.preventDefault();
    stepTopic(event.key === "PageDown" ? 1 : -1);
    const first = byId("strips").querySelector("td[data-doc]");
    if (first) first.focus();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseRun(Number(cell.parentNode.dataset.run));
  }
}

function chooseRun(run) {
  chosen.run = run;
  markRun();
  drawSteps();
}

function chooseTopic(topic) {
  chosen.topic = topic;
  const select = byId("topic");
  select.value = String(topic);
  byId("topic-before").disabled = select.selectedIndex === 0;
  byId("topic-after").disabled = select.selectedIndex === select.options.length - 1;
  drawStrips();
  drawSteps();
}

function stepTopic(step) {
  const select = byId("topic");
  const next = select.options[select.selectedIndex + step];
  if (next) chooseTopic(Number(next.value));
}

function chooseMeasure(measure) {
  chosen.measure = measure;
  const { source } = data.measures[measure];
  if (source !== null) chosen.source = source;
  byId("source").value = String(chosen.source);
  const topics = topicsByDifference();
  fillSelect(byId("topic"), topics, chosen.topic);
  chooseTopic(chosen.topic);
}

function startStrips() {
  const onChange = (id, act) => byId(id).addEventListener("change", (event) =>
    act(Number(event.target.value)));
  const table = byId("strips");
  const fairness = data.measures.findIndex((one) => one.fair !== null);
  chosen.measure = Math.max(fairness, 0);
  fillSelect(byId("measure"), data.measures.map((one, i) => [i, one.name]), chosen.measure);
  fillSelect(byId("source"), data.sources.map((one, i) => [i, one.name]), 0);
  byId("source").closest("label").hidden = data.sources.length < 2;
  onChange("topic", chooseTopic);
  onChange("measure", chooseMeasure);
  onChange("source", (source) => {
    chosen.source = source;
    drawStrips();
  });
  byId("topic-before").addEventListener("click", () => stepTopic(-1));
  byId("topic-after").addEventListener("click", () => stepTopic(1));
  table.addEventListener("keydown", moveInStrips);
  for (const kind of ["mouseover", "focusin"]) {
    table.addEventListener(kind, (event) => {
      const cell = event.target.closest("td[data-doc]");
      if (cell) tellDocument(cell);
    });
  }
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-run]");
    if (row) chooseRun(Number(row.dataset.run));
  });
  chosen.topic = topicsByDifference()[0][0];
  chosen.run = runsByValue()[0];
  chooseMeasure(chosen.measure);
}
