"use strict";

/* Two measures of all systems, with the ideal values and the Pareto front. */

const plane = { x: 0, y: 0, chosen: null };
/* The letters of a system's name, and the typical width of a letter. */
const [LETTERS, LETTER] = [24, 7];

function niceTicks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

/** Return the limits of an axis: the values with some room, and the ideal value if it is near. */
function limits(measure, values) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const fair = data.measures[measure].fair;
  const spread = high - low || Math.abs(high) || 1;
  if (fair !== null && fair >= low - 2 * spread && fair <= high + 2 * spread) {
    [low, high] = [Math.min(low, fair), Math.max(high, fair)];
  }
  const room = 0.06 * (high - low || spread);
  return [low - room, high + room];
}

/** Return the systems that no other is better than by both measures. */
function paretoFront(points) {
  const best = [...points].sort((a, b) => a.dx - b.dx || a.dy - b.dy);
  const front = [];
  let least = Infinity;
  for (const point of best) {
    const last = front[front.length - 1];
    if (point.dy < least || (last && point.dx === last.dx && point.dy === last.dy)) {
      front.push(point);
      least = Math.min(least, point.dy);
    }
  }
  return front;
}

/** Return the title of an axis, without its middle if it is longer than some pixels. */
function axisTitle(measure, room = Infinity) {
  const { name, end } = data.measures[measure];
  return middleCut(`${name} (${end})`, Math.floor(room / LETTER));
}

/** Return the ends of the interval of a system, none without intervals. */
function endsOf(run, measure) {
  return data.intervals ? data.intervals[run][measure].map(numberOf).filter(Number.isFinite) : [];
}

function planePoints() {
  const exact = (value) => Number(value.toFixed(12));
  return data.runs.map((name, run) => ({
    name, run,
    x: numberOf(data.averages[run][plane.x]), y: numberOf(data.averages[run][plane.y]),
  })).filter((one) => Number.isFinite(one.x) && Number.isFinite(one.y)).map((one) => ({
    ...one, dx: exact(distance(plane.x, one.x)), dy: exact(distance(plane.y, one.y)),
  }));
}

/** Return the front that the judgments allow for both measures, the best end of the x-axis first. */
function frontOfJudgments() {
  const front = data.fronts.find(({ x, y }) => [x, y].every((one) => one === plane.x || one === plane.y));
  if (!front) return { vertices: [], best: [[], []], systems: null };
  const vertices = front.x === plane.x ? front.vertices : front.vertices.map(([x, y]) => [y, x]).reverse();
  return { ...front, vertices, best: [[vertices[0][0]], [vertices.at(-1)[1]]] };
}

/** Return boxes along a line. */
function boxesAlong([x1, y1], [x2, y2]) {
  const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 6);
  return Array.from({ length: count + 1 }, (_, i) => {
    const [x, y] = [x1 + (x2 - x1) * i / (count || 1), y1 + (y2 - y1) * i / (count || 1)];
    return [x - 2, y - 2, x + 2, y + 2];
  });
}

/** Return texts, each at the first of its places that covers neither points nor other texts, and no
 * line if there is such a place. Texts without a place are left out. */
function placeTexts(wanted, points, lines, [left, top, right, bottom]) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const taken = points.map(({ px, py }) => [px - 9, py - 9, px + 9, py + 9]);
  const covers = (box, others) => others.some((other) =>
    box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
  return wanted.flatMap(({ text, places, title = text, kind = "label" }) => {
    const long = pen.measureText(text).width + 2;
    const free = places(long).map(([x, y]) => [x, y - 11, x + long, y + 4]).filter((box) =>
      box[0] >= left && box[1] >= top && box[2] <= right && box[3] <= bottom && !covers(box, taken));
    const box = free.find((one) => !covers(one, lines)) || free[0];
    if (!box) return [];
    taken.push(box);
    return [drawn("text", { class: kind, x: box[0], y: box[3] - 4 }, text,
      drawn("title", {}, title))];
  });
}

/** Return the names of systems, those on the front and the baseline first, and their places. */
function namesOf(points, front) {
  const order = [...points].sort((a, b) => front.has(b.run) - front.has(a.run)
    || (b.run === data.baseline) - (a.run === data.baseline));
  return order.map(({ name, px, py }) => ({
    text: middleCut(name, LETTERS), title: name,
    places: (long) => [10, 16, 26].flatMap((far) => [[px + far, py + 4], [px - far - long, py + 4],
      [px - long / 2, py - far], [px - long / 2, py + far + 11], [px + far, py - far],
      [px - far - long, py - far], [px + far, py + far + 11], [px - far - long, py + far + 11]]),
  }));
}

/** Return how fair a system could have been at its relevance. */
function saidOfHeadroom({ x, y, systems }, run) {
  if (!systems) return "";
  const [fairest, headroom] = systems[run].map(numberOf);
  const [relevance, fairness] = [x, y].map((one) => data.measures[one].name);
  if (!Number.isFinite(fairest)) return `; no list of documents with a group has this ${relevance}`;
  return `; at this ${relevance} it could have had ${fairness} ${asText(fairest)} (headroom ${asText(headroom)})`;
}

function drawPlane() {
  const points = planePoints();
  const place = byId("plane-chart");
  if (!points.length) {
    place.replaceChildren(element("p", {}, "No system has a value of both measures."));
    return;
  }
  const width = Math.max(280, Math.min(place.clientWidth || 720, 900));
  const height = Math.round(Math.min(width * 0.7, 520));
  const [left, right, top, bottom] = [64, width - 14, 14, height - 52];
  const allowed = frontOfJudgments();
  const [xLow, xHigh] = limits(plane.x,
    [...allowed.best[0], ...points.flatMap((one) => [one.x, ...endsOf(one.run, plane.x)])]);
  const [yLow, yHigh] = limits(plane.y,
    [...allowed.best[1], ...points.flatMap((one) => [one.y, ...endsOf(one.run, plane.y)])]);
  // The better end is at the top or on the right, as in plots.tradeoff.
  const scale = (measure, low, high, start, end) => (value) => {
    const share = (value - low) / (high - low);
    return start + (data.measures[measure].direction === "↓" ? 1 - share : share) * (end - start);
  };
  const toX = scale(plane.x, xLow, xHigh, left, right);
  const toY = scale(plane.y, yLow, yHigh, bottom, top);
  points.forEach((one) => Object.assign(one, { px: toX(one.x), py: toY(one.y) }));
  const front = paretoFront(points);
  const inFront = new Set(front.map((one) => one.run));
  const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `${axisTitle(plane.x)} against ${axisTitle(plane.y)}` });
  const lines = [];
  const line = (kind, x1, y1, x2, y2) => {
    if (kind !== "grid" && kind !== "axis") lines.push(...boxesAlong([x1, y1], [x2, y2]));
    return drawn("line", { class: kind, x1, y1, x2, y2 });
  };
  const label = (x, y, anchor, text) => drawn("text", { x, y, "text-anchor": anchor }, text);
  for (const tick of niceTicks(xLow, xHigh, width < 500 ? 4 : 7)) {
    svg.append(line("grid", toX(tick), top, toX(tick), bottom),
      label(toX(tick), bottom + 18, "middle", String(tick).replace("-", "−")));
  }
  for (const tick of niceTicks(yLow, yHigh, 6)) {
    svg.append(line("grid", left, toY(tick), right, toY(tick)),
      label(left - 6, toY(tick) + 4, "end", String(tick).replace("-", "−")));
  }
  svg.append(line("axis", left, bottom, right, bottom), line("axis", left, top, left, bottom));
  if (allowed.systems) {
    const path = allowed.vertices.map(([x, y]) => [toX(x), toY(y)]);
    const ends = [[path[0][0], bottom], ...path, [left, path.at(-1)[1]]]
      .map(([x, y]) => [Math.max(x, left), Math.min(y, bottom)]);
    const corners = [[left, top], [right, top], [right, bottom]];
    svg.append(drawn("polygon", { class: "beyond", points: [...ends, ...corners].join(" ") },
      drawn("title", {}, "out of reach of documents with a group")));
    ends.slice(1).forEach(([x, y], i) => svg.append(line("allowed", ...ends[i], x, y)));
  }
  const [fairX, fairY] = [plane.x, plane.y].map((one) => data.measures[one].fair);
  if (fairX !== null && fairX >= xLow && fairX <= xHigh) {
    svg.append(line("fair", toX(fairX), top, toX(fairX), bottom));
  }
  if (fairY !== null && fairY >= yLow && fairY <= yHigh) {
    svg.append(line("fair", left, toY(fairY), right, toY(fairY)));
  }
  const texts = [];
  const steps = Array.from({ length: 40 }, (_, i) => i / 40);
  const edges = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { name, values } of data.references) {
    const [x, y] = [values[plane.x], values[plane.y]].map(numberOf);
    const reference = (kind, ...ends) => {
      const one = line(kind, ...ends);
      one.append(drawn("title", {}, name));
      svg.append(one);
    };
    /* A reference outside the figure is a tick at its edge, and its value is beside the name. */
    const outside = (edge, value) => {
      const k = edges[edge];
      edges[edge] += 1;
      const text = `${name} ${asText(value)}`;
      if (edge === "left" || edge === "right") {
        const [at, row] = [edge === "left" ? left : right, bottom - 12 - 18 * k];
        reference("outside", at - 6, row, at + 6, row);
        texts.push({ kind: "label soft", text, places: (long) => [0, -15, -30].map((up) =>
          [edge === "left" ? at + 9 : at - 9 - long, row + 4 + up]) });
      } else {
        const [at, column] = [edge === "top" ? top : bottom, right - 8 - 18 * k];
        reference("outside", column, at - 6, column, at + 6);
        texts.push({ kind: "label soft", text, places: (long) => [0, 15, 30, 45].map((far) =>
          [column - 6 - long, edge === "top" ? at + 14 + far : at - 6 - far]) });
      }
    };
    if (x >= xLow && x <= xHigh) {
      reference("reference", toX(x), top, toX(x), bottom);
      texts.push({ kind: "label soft", text: name, places: (long) => steps.flatMap((step) =>
        [4, -4 - long].map((far) => [toX(x) + far, top + 12 + step * (bottom - top)])) });
    } else if (Number.isFinite(x)) outside(toX(x) < left ? "left" : "right", x);
    if (y >= yLow && y <= yHigh) {
      reference("reference", left, toY(y), right, toY(y));
      texts.push({ kind: "label soft", text: name, places: (long) => steps.flatMap((step) =>
        [-5, 14].map((far) => [right - long - step * (right - left), toY(y) + far])) });
    } else if (Number.isFinite(y)) outside(toY(y) < top ? "top" : "bottom", y);
  }
  svg.append(label((left + right) / 2, height - 10, "middle", axisTitle(plane.x, width - 50)));
  const upright = label(0, 0, "middle", axisTitle(plane.y, height - 38));
  upright.setAttribute("transform", `translate(15 ${(top + bottom) / 2}) rotate(-90)`);
  svg.append(upright);
  if ([plane.x, plane.y].every((one) => "↑↓".includes(data.measures[one].direction))) {
    front.slice(1).forEach(({ px, py }, i) =>
      svg.append(line("front", front[i].px, front[i].py, px, py)));
  }
  for (const { run, px, py } of points) {
    const [xs, ys] = [endsOf(run, plane.x).map(toX), endsOf(run, plane.y).map(toY)];
    if (xs.length) svg.append(line("whisker", xs[0], py, xs[1], py));
    if (ys.length) svg.append(line("whisker", px, ys[0], px, ys[1]));
  }
  const shown = [...points].sort((a, b) => a.px - b.px || a.run - b.run);
  if (!shown.some((one) => one.run === plane.chosen)) plane.chosen = shown[0].run;
  for (const one of shown) {
    const said = `${one.name}: ${data.measures[plane.x].name} ${asText(one.x)}, `
      + `${data.measures[plane.y].name} ${asText(one.y)}`
      + `${inFront.has(one.run) ? ", on the Pareto front" : ""}`
      + `${one.run === data.baseline ? ", the baseline" : ""}${saidOfHeadroom(allowed, one.run)}`;
    const kind = `point${inFront.has(one.run) ? " front-point" : ""}`
      + `${one.run === data.baseline ? " baseline-point" : ""}`;
    const mark = drawn("g", { role: "img", "aria-label": said, "data-run": one.run,
      tabindex: one.run === plane.chosen ? 0 : -1 },
    drawn("title", {}, said), drawn("circle", { class: kind, cx: one.px, cy: one.py, r: 6 }));
    const tell = () => { byId("plane-detail").textContent = said; };
    mark.addEventListener("mouseenter", tell);
    mark.addEventListener("focus", tell);
    svg.append(mark);
  }
  svg.append(...placeTexts([...texts, ...namesOf(points, inFront)], points, lines,
    [left + 2, top, right + 12, bottom]));
  place.replaceChildren(svg);
}

/** Move the focus to the next system by the value on the x-axis. */
function stepPoint(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const marks = [...byId("plane-chart").querySelectorAll("g[role=img]")];
  const now = marks.indexOf(event.target.closest("g[role=img]"));
  if (!step || now < 0) return;
  event.preventDefault();
  const next = marks[Math.min(Math.max(now + step, 0), marks.length - 1)];
  marks[now].setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  plane.chosen = Number(next.dataset.run);
  next.focus();
}

function startPlane() {
  const relevance = data.measures.findIndex((one) => one.fair === null);
  const fairness = data.measures.findIndex((one) => one.fair !== null);
  plane.x = Math.max(relevance, 0);
  plane.y = fairness >= 0 && fairness !== plane.x ? fairness : Math.min(1, data.measures.length - 1);
  for (const axis of ["x", "y"]) {
    const select = byId(`plane-${axis}`);
    fillSelect(select, data.measures.map((one, i) => [i, one.name]), plane[axis]);
    select.addEventListener("change", () => {
      plane[axis] = Number(select.value);
      drawPlane();
    });
  }
  byId("plane-chart").addEventListener("keydown", stepPoint);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) > 1) {
      width = contentRect.width;
      drawPlane();
    }
  }).observe(byId("plane-chart"));
}

startPlane();
