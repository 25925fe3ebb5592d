"use strict";

/* What the parts of the page share: the data, elements, numbers, groups. */

const data = JSON.parse(document.getElementById("data").textContent);
const PATTERNS = 8;
const MISSING = "–";
/* The number of groups that the key names. */
const NAMED = 12;

/** Return a new element; children are elements or text, never markup. */
function element(tag, attributes = {}, ...children) {
  return completed(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return completed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes,
    children);
}

function completed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function byId(id) {
  return document.getElementById(id);
}

/** Return at most `most` letters of a text, its start and its end. */
function middleCut(text, most) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return [...letters.slice(0, most - 1 - end), "…", ...letters.slice(letters.length - end)].join("");
}

/** Leave out the middle of names and queries that are wider than their boxes. The whole text is
 * their tooltip, and it is there on paper and after a touch. */
function cutNames(root) {
  const names = [...root.querySelectorAll(".name")];
  for (const name of names) {
    if (name.classList.contains("cut")) name.replaceChildren(name.title);
    name.classList.remove("cut");
  }
  const pen = document.createElement("canvas").getContext("2d");
  const wide = names.filter((name) => name.scrollWidth > name.clientWidth && !name.children.length);
  const looks = wide.map((name) => {
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(name);
    return [name.clientWidth - 1, `${fontWeight} ${fontSize} ${fontFamily}`];
  });
  wide.forEach((name, i) => {
    const [width, font] = looks[i];
    const text = name.textContent;
    pen.font = font;
    let [low, high] = [1, [...text].length];
    while (low + 1 < high) {
      const most = (low + high) >> 1;
      if (pen.measureText(middleCut(text, most)).width <= width) low = most;
      else high = most;
    }
    name.title = text;
    name.classList.add("cut");
    name.replaceChildren(element("span", { class: "whole" }, text),
      element("span", { class: "short", "aria-hidden": "true" }, middleCut(text, low)));
  });
}

/** Return the id of a topic, with its query where that is known. */
function topicName(topic, most = Infinity) {
  const query = data.queries[topic];
  return query ? `${data.topics[topic]} “${middleCut(query, most)}”` : data.topics[topic];
}

/** Return the title of a document, empty where it is not known. */
function titleOf(topic, doc) {
  return (data.rankings[topic].titles || [])[doc] || "";
}

/** Return the number that a value stands for, NaN if it is missing. */
function numberOf(value) {
  return value === null ? NaN : Number(value);
}

/** Return a value as the tables show it. */
function asText(value) {
  const number = numberOf(value);
  if (Number.isNaN(number)) return MISSING;
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  return number.toFixed(data.digits).replace("-", "−");
}

/** Return how far a value is from the best one, up to a constant; missing values are last. */
function distance(measure, value) {
  const number = numberOf(value);
  if (Number.isNaN(number)) return Infinity;
  const { direction } = data.measures[measure];
  return direction === "↑" ? -number : direction === "↓" ? number : Math.abs(number);
}

/** Return the numbers below `length`, sorted by a key; equal keys keep their order. */
function sortedBy(length, key) {
  const keys = Array.from({ length }, (_, i) => key(i));
  return [...keys.keys()].sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
}

function fillSelect(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text, title]) =>
    element("option", { value, title }, text)));
  select.value = String(chosen);
}

/** Return the class of a group: eight patterns, and colours that differ for each eight groups. */
function groupClass(group) {
  if (group >= NAMED) return "fill other";
  const pattern = group % PATTERNS;
  return `fill c${(pattern + Math.floor(group / PATTERNS)) % PATTERNS} p${pattern}`;
}

/** Return the box of a document: a band of each of its groups. */
function documentBox(groups, relevant) {
  const kind = `doc${relevant ? " relevant" : ""}`;
  if (!groups.length) return element("span", { class: `${kind} none` });
  if (groups.length === 1) {
    return element("span", { class: `${kind} ${groupClass(groups[0][0])}` });
  }
  return element("span", { class: kind },
    ...groups.map(([group, share]) => {
      const band = element("i", { class: groupClass(group) });
      band.style.flexGrow = share;
      return band;
    }));
}

function showKey(list, source) {
  const labels = data.sources.length ? data.sources[source].labels : [];
  const shown = labels.slice(0, NAMED).map((label, group) =>
    element("li", {}, documentBox([[group, 1]], false), label));
  if (labels.length > NAMED) {
    shown.push(element("li", { title: labels.slice(NAMED).join(", ") },
      documentBox([[NAMED, 1]], false), "other"));
  }
  shown.push(element("li", {}, documentBox([], false), "no group"),
    element("li", {}, documentBox([], true), "relevant"));
  list.replaceChildren(...shown);
}
