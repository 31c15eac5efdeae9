// Tables and lists of facts.

import { element } from "./dom.js";
import { button } from "./form.js";

const compare = (one, other) =>
  typeof one === "number" && typeof other === "number" ? one - other : String(one ?? "").localeCompare(String(other ?? ""), undefined, { numeric: true });

/**
 * A table that grows. A column is `[head, cell, kind, field]`: `cell` makes the content of a row, `kind` is a class. With an
 * `order`, the head of a column with a `field` is a button that sorts: a name is that of the server's order, a function
 * returns the value of a row, by which the rows that are shown are sorted. On a phone each row becomes a block, where cells name
 * their column; roles keep it a table for who listens.
 */
export function table(caption, columns, rows = [], order = undefined) {
  const shown = [];
  let by = order?.by;
  const sort = () => {
    const [, sign, at] = /^([+-])(\d+)$/.exec(by) ?? [];
    if (at === undefined) return;
    const value = columns[at][3];
    shown.sort(([one], [other]) => (sign === "+" ? 1 : -1) * compare(value(one), value(other)));
    body.append(...shown.map(([, line]) => line));
  };
  const heads = columns.map(([head, , kind = "", field], at) => {
    const made = element("th", { scope: "col", role: "columnheader", className: kind });
    const name = typeof field === "function" ? String(at) : field;
    made.append(order === undefined || field === undefined ? head : button(head, () => change(`${by === `+${name}` ? "-" : "+"}${name}`), "sorter"));
    return [made, name];
  });
  const change = async (wanted) => {
    await order.change(wanted);
    by = wanted;
    sort();
    mark();
  };
  const mark = () => {
    for (const [head, name] of heads) head.ariaSort = { [`+${name}`]: "ascending", [`-${name}`]: "descending" }[by] ?? null;
  };
  const body = element("tbody", { role: "rowgroup" });
  const made = element(
    "table",
    { role: "table", className: order === undefined ? "" : "ordered" },
    element("caption", { className: "unseen", textContent: caption }),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads.map(([head]) => head))),
    body,
  );
  const frame = element("div", { className: "scroll", role: "region", tabIndex: 0, "aria-label": caption }, made);
  const add = (more) => {
    const lines = more.map((row) => [row, line(columns, row)]);
    shown.push(...lines);
    body.append(...lines.map(([, made]) => made));
    sort();
  };
  mark();
  add(rows);
  return { frame, add };
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
  const each = kept.map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", {}, [value].flat())));
  return element("dl", { className }, each);
}
