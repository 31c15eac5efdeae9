// Tables and lists of facts.

import { element } from "./dom.js";

/**
 * A table that grows. A column is `[head, cell, kind, field]`: `cell` makes the content of a row, `kind` is a class. With an
 * `order`, the head of a column with a `field` is a button that sorts. On a phone each row becomes a block, where cells name
 * their column; roles keep it a table for who listens.
 */
export function table(caption, columns, rows = [], order = undefined) {
  const heads = columns.map(([head, , kind = "", field]) => {
    const made = element("th", { scope: "col", role: "columnheader", className: kind });
    if (order === undefined || field === undefined) made.textContent = head;
    else made.append(sorter(made, head, field, order));
    return made;
  });
  const body = element("tbody", { role: "rowgroup" });
  const made = element(
    "table",
    { role: "table", className: order === undefined ? "" : "ordered" },
    element("caption", { className: "unseen", textContent: caption }),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads)),
    body,
  );
  const frame = element("div", { className: "scroll", role: "region", tabIndex: 0, "aria-label": caption }, made);
  const add = (more) => body.append(...more.map((row) => line(columns, row)));
  add(rows);
  return { frame, add };
}

/** The head of a column that sorts; `order.by` is the present order, as `+ArtNr` or `-ArtNr`. */
function sorter(head, text, field, { by, change }) {
  const is = { [`+${field}`]: "ascending", [`-${field}`]: "descending" }[by];
  if (is) head.ariaSort = is;
  const mark = { ascending: " ▲", descending: " ▼" }[is] ?? "";
  const made = element("button", { type: "button", className: "sorter", textContent: text }, element("span", { "aria-hidden": "true", textContent: mark }));
  made.addEventListener("click", () => change(`${is === "ascending" ? "-" : "+"}${field}`));
  return made;
}

function line(columns, row) {
  const cells = columns.map(([head, cell, kind = ""]) => {
    const content = [cell(row)].flat().filter((part) => part !== undefined && part !== null);
    return element("td", { role: "cell", className: kind, "data-head": head }, content);
  });
  return element("tr", { role: "row" }, cells);
}

/** Names with their values; empty values are left out. */
export function facts(pairs, className = "facts") {
  const kept = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return element(
    "dl",
    { className },
    kept.map(([name, value]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", {}, [value].flat())),
    ),
  );
}
