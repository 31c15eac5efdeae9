// Small plots with a bar for each minute of the last hour, or for each day.

import { element } from "./dom.js";
import { words } from "./language.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 4;
const HEIGHT = 48;

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** How the bars of the last hour are described. */
const MINUTES = {
  all: (most, last) => words().plot_summary(most, last),
  one: (at, value, { length }) => (at === length - 1 ? words().plot_now(value) : words().plot_point(length - 1 - at, value)),
};

/** Bars of these points, the newest at the right, with a description of `all` and of each `one` in words. */
export function plot(title, points, format, { all, one } = MINUTES) {
  const most = Math.max(...points, 0);
  const now = points.at(-1) ?? 0;
  const summary = all(format(most), format(now));
  const picture = drawn("svg", {
    viewBox: `0 0 ${Math.max(points.length, 1) * WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${title}: ${summary}`,
  });
  points.forEach((value, at) => {
    const height = most === 0 ? 0 : (value / most) * HEIGHT;
    const bar = drawn("rect", { x: at * WIDTH, y: HEIGHT - height, width: WIDTH - 1, height });
    const told = drawn("title", {});
    told.textContent = one(at, format(value), points);
    bar.append(told);
    picture.append(bar);
  });
  return element(
    "figure",
    { className: "plot" },
    element("figcaption", {}, element("strong", { textContent: title }), element("span", { className: "hint", textContent: summary })),
    picture,
  );
}
