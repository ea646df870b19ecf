// Elements by name, attributes and children. Text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "colour") element.style.setProperty("--class", value);
    else if (name === "part") element.style.setProperty("--part", value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return withChildren(element, children);
}

// One by one: there may be more than a call takes arguments.
function withChildren(element, children) {
  for (const child of shownOf(children)) element.append(child);
  return element;
}

const shownOf = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");

const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const byId = (id) => document.getElementById(id);

// Puts children in place of those an element has.
function put(id, ...children) {
  byId(id).replaceChildren();
  withChildren(byId(id), children);
}

const FIRST_BARS = 6; // that are shown at once

// A bar per class with its number; the greatest first.
function classBars(names, colours, values, counts) {
  const order = values.map((_, k) => k).sort((a, b) => values[b] - values[a] || a - b);
  const most = order.length > FIRST_BARS + 2 ? FIRST_BARS : order.length;
  const bars = (places) => h("ul", { class: "bars" }, places.map((k) => oneBar(names[k], colours[k], values[k], counts?.[k])));
  const rest = order.slice(most);
  return [bars(order.slice(0, most)), rest.length ? h("details", null, h("summary", null, `${rest.length} more classes`), bars(rest)) : null];
}

const oneBar = (name, colour, value, count) =>
  h("li", { colour },
    h("span", { class: "bar-name", title: name.length > 40 ? clipped(name, 400) : null }, clipped(name, 40)),
    h("span", { class: "bar-track", "aria-hidden": "true" }, h("span", { class: "bar", part: value })),
    h("span", { class: "bar-number" }, percentText(value)),
    count === undefined ? null : h("span", { class: "bar-count" }, countText(count)));

// Buttons and links that lead to a node.
const nodeLink = (place, node, text = `#${node}`) =>
  h("button", { type: "button", class: "link", "aria-label": `Show node ${node}`, onclick: () => select(place, node, { reveal: true, focus: true }) }, text);
