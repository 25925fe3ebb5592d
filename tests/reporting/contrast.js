/* Return the texts of the page whose contrast is below 4.5 to 1 (WCAG 2.1, 1.4.3), and the lines
   and frames of the figure, the documents and the controls whose contrast is below 3 to 1 (1.4.11). */
const channel = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parse = (text) => text.match(/[\d.]+/g).map(Number);
const ground = (node) => {
  for (let one = node; one; one = one.parentElement) {
    const found = parse(getComputedStyle(one).backgroundColor);
    if (found.length < 4 || found[3] > 0) return found;
  }
  return [255, 255, 255];
};
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const poor = [];
let seen = 0;
while (walker.nextNode()) {
  const text = walker.currentNode.data.trim();
  const node = walker.currentNode.parentElement;
  if (!text || node.closest("script, style, noscript, title") || node.disabled) continue;
  const style = getComputedStyle(node);
  const own = parse(node.closest("svg") ? style.fill : style.color);
  const ratio = contrast(light(own), light(ground(node)));
  seen += 1;
  if (ratio < 4.5) poor.push([text, ratio]);
}
const lines = [["#plane :is(.axis, .reference, .fair, .front, .point, .whisker)", "stroke"],
  ["button, select, .doc, .bar", "borderTopColor"]];
for (const [selector, property] of lines) {
  for (const node of document.querySelectorAll(selector)) {
    if (node.matches("th button")) continue;
    const around = light(ground(node.parentElement));
    const ratio = contrast(light(parse(getComputedStyle(node)[property])), around);
    seen += 1;
    if (ratio < 3) poor.push([node.className.baseVal ?? node.className, ratio]);
  }
}
return [seen, poor];
