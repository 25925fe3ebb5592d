"use strict";

/* The way to a value: the ranks of a system for the chosen topic and measure. */

/** Return the number at each rank: a contribution, or the value so far. The data have three decimals
 * more than the page shows. */
function numbersAt(measure, topic, run) {
  const count = data.rankings[topic].runs[run].length;
  const before = data.rankings[topic].runs.slice(0, run).reduce((sum, one) => sum + one.length, 0);
  return data.steps[measure][topic].slice(before, before + count)
    .map((one) => (one === null ? null : one / 10 ** (data.digits + 3)));
}

/** Return whether the measure counts each document of a ranking. */
function whichCount(measure, topic, run) {
  const { condensed, judged, cutoff, source } = data.measures[measure];
  const { runs, labels, sets } = data.rankings[topic];
  let counted = 0;
  return runs[run].map((doc) => {
    const fits = judged ? labels[doc] !== null && labels[doc] >= 0
      : !condensed || sets[source][doc] >= 0;
    const counts = fits && (cutoff === null || counted < cutoff);
    counted += counts;
    return counts;
  });
}

/** Return which documents the measure counts, and the shares of the groups up to each. */
function sharesSoFar(measure, topic, run) {
  const { source, weights, even } = data.measures[measure];
  const counting = whichCount(measure, topic, run);
  const size = source === null ? 0 : data.sources[source].labels.length;
  const sums = new Array(size).fill(0);
  let [counted, total] = [0, 0];
  return data.rankings[topic].runs[run].map((doc, i) => {
    const groups = source === null ? [] : groupsOf(topic, source, doc);
    const counts = counting[i];
    if (counts && (groups.length || even)) {
      const weight = weights === null ? 1 : weights[counted];
      const shares = groups.length ? groups : sums.map((_, group) => [group, 1 / size]);
      for (const [group, share] of shares) sums[group] += weight * share;
      total += weight;
    }
    counted += counts;
    return { doc, counts, groups, place: counts ? counted - 1 : null, shares: sums.map((sum) => (total ? sum / total : null)) };
  });
}

/** Return the target or the protected groups of the chosen measure and topic; null without any. */
function compared(what) {
  const { of_run: ofRun } = data.measures[chosen.measure];
  const byTopic = ofRun ? what[chosen.measure][chosen.run] : what[chosen.measure];
  return byTopic && byTopic[chosen.topic];
}

/** Return the parts of a contribution by name, of the rank among the documents that count. */
function partsOf(measure, topic, run, place, contribution) {
  const { factors, weights } = data.measures[measure];
  if (factors === null) return weights === null ? {} : { discount: place === null ? null : weights[place] };
  if (place === null || contribution === null) return { divergence: null, discount: null, product: null };
  const [discounts, largest] = factors[run];
  const [discount, product] = [discounts[place], contribution * largest[topic]];
  return { divergence: discount ? product / discount : null, discount, product };
}

/** Return the formula of the chosen measure in names, and its Z. */
function formulaHere() {
  const { formula, factors } = data.measures[chosen.measure];
  const largest = factors && factors[chosen.run][1][chosen.topic];
  return (formula ? ` = ${formula.replace(/[{}]/g, "")}` : "") + (factors ? `, Z = ${asText(largest)}` : "");
}

/** Return a text with the value of the fairest possible ranking, empty where it is not known. */
function fairestPossible() {
  const fairest = data.fairest[chosen.measure];
  const value = fairest && fairest[chosen.run][chosen.topic];
  return value === null ? "" : `; the fairest possible ranking has ${asText(value)}`;
}

function track(number, largest) {
  const bar = element("i", number < 0 ? { class: "minus" } : {});
  bar.style.left = "0";
  bar.style.width = `${largest > 0 ? Math.abs(number) / largest * 100 : 0}%`;
  return element("div", { class: "track", "aria-hidden": "true" }, bar);
}

function drawSteps() {
  const measure = data.measures[chosen.measure];
  const { docs, labels } = data.rankings[chosen.topic];
  const table = byId("steps");
  const value = data.values[chosen.measure][chosen.topic][chosen.run];
  byId("run").value = String(chosen.run);
  byId("steps-note").textContent = [undefinedHere(), measure.note,
    measure.where && `Where ${measure.where}.`].filter(Boolean).join(" ");
  byId("steps-caption").textContent = `${measure.name} of ${data.runs[chosen.run]} for topic `
    + `${data.topics[chosen.topic]}: ${asText(value)}${formulaHere()}${fairestPossible()}`;
  const names = measure.source === null ? [] : data.sources[measure.source].labels;
  const target = compared(data.targets);
  const own = compared(data.protected) || [];
  const numbers = measure.explained ? numbersAt(chosen.measure, chosen.topic, chosen.run) : null;
  const largest = Math.max(0, ...(numbers || []).map((one) => Math.abs(one)));
  const parts = numbers ? Object.keys(partsOf(chosen.measure, chosen.topic, chosen.run, null, null)) : [];
  const heads = ["rank", "docno", ...(names.length ? ["groups"] : []), "relevance", "counts",
    ...names.map((name, group) => `${name} so far${own.includes(group) ? " (protected)" : ""}`),
    ...parts, ...(numbers ? [measure.explained, ""] : [])];
  table.tHead.replaceChildren(element("tr", {}, ...heads.map((head) => (head
    ? element("th", { scope: "col" }, element("span", { class: "name" }, head)) : element("td", {})))));
  const rows = sharesSoFar(chosen.measure, chosen.topic, chosen.run).map((one, i) =>
    element("tr", { class: one.counts ? null : "left-out" },
      element("td", {}, String(i + 1)), element("td", { class: "doc-name" },
        element("span", { class: "name" }, docs[one.doc]),
        element("span", { class: "name end" }, titleOf(chosen.topic, one.doc))),
      ...(names.length ? [element("td", {}, element("span", { class: "name" },
        groupNames(one.groups, measure.source)))] : []),
      element("td", {}, labels[one.doc] === null ? "not judged" : String(labels[one.doc])),
      element("td", {}, one.counts ? "yes" : "no"),
      ...one.shares.map((share) => element("td", {}, asText(share))),
      ...Object.values(parts.length ? partsOf(chosen.measure, chosen.topic, chosen.run, one.place, numbers[i]) : {})
        .map((part) => element("td", {}, asText(part))),
      ...(numbers ? [element("td", { class: "number" }, asText(numbers[i])),
        element("td", {}, track(numbers[i], largest))] : [])));
  table.tBodies[0].replaceChildren(...rows);
  const foot = target ? [element("tr", {},
    element("th", { scope: "row", colspan: names.length ? 5 : 4 }, "target"),
    ...target.map((share) => element("td", {}, asText(share))),
    ...(numbers ? [element("td", { colspan: parts.length + 2 })] : []))] : [];
  table.tFoot.replaceChildren(...foot);
  cutNames(table);
  keepChoice();
}

fillSelect(byId("run"), data.runs.map((name, run) => [run, name]), 0);
byId("run").addEventListener("change", (event) => chooseRun(Number(event.target.value)));
for (const button of document.querySelectorAll("button[data-select]")) {
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(byId(button.dataset.select));
  });
}
startStrips();
startAddress();
