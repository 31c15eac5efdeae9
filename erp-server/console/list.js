// Lists that are read page by page.

import { query } from "./api.js";
import { element, paragraph } from "./dom.js";
import { number } from "./format.js";
import { button, run } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

/**
 * Shows the first page of a list and a button for the next one. `load(after)` returns `{ rows, next }`; `next` is empty
 * after the last page. `actions` is shown above the rows.
 */
async function list(place, { caption, columns, none, load, actions }) {
  const { frame, add } = table(caption, columns);
  const shown = element("p", { className: "hint", role: "status" });
  const more = button(words().more, () => run(place, () => page(next)));
  let next;
  let count = 0;
  async function page(after) {
    more.disabled = true;
    let read;
    try {
      read = await load(after).catch(unfinished);
    } finally {
      more.disabled = false;
    }
    add(read.rows);
    count += read.rows.length;
    next = read.next;
    more.hidden = !next;
    frame.hidden = count === 0;
    const all = count === 0 ? none : words().rows_shown(count, Boolean(next));
    shown.textContent = read.limit === undefined ? all : words().too_broad(count, number(read.limit));
  }
  more.hidden = true;
  frame.hidden = true;
  place.replaceChildren(...(actions ? [actions] : []), frame, element("div", { className: "row" }, shown, more));
  await page();
}

/** What is known of a search that read as much as the server allows without finding more. */
function unfinished(error) {
  if (error.code !== "too_broad") throw error;
  return { rows: [], limit: error.limit };
}

/** Fills a filter with the values after the `?` of the URL. */
function fill(filter, asked) {
  const values = new URLSearchParams(asked);
  for (const control of filter.elements) {
    if (control.type === "checkbox") control.checked = values.has(control.name);
    else if (control.name) control.value = values.get(control.name) ?? "";
  }
}

/**
 * A list with a filter above it, whose values are in the URL: Back and a reload restore them. `filter` is a
 * form; `show(values)` returns what [`list`] needs.
 */
export async function filteredList(place, filter, show) {
  const below = element("section", { className: "card" });
  const [screen, asked] = location.hash.split("?");
  if (asked !== undefined) fill(filter, asked);
  place.append(filter, below);
  let latest;
  let shown;
  const search = async (values) => {
    const fresh = element("div", { className: "stack" });
    latest = fresh;
    const wanted = JSON.stringify(values);
    // Results of another filter must not stay below this one.
    if (shown !== wanted) below.replaceChildren(paragraph(words().searching, "hint"));
    await run(fresh, () => list(fresh, show(values)));
    // A later one may have been faster.
    if (latest !== fresh) return;
    shown = wanted;
    below.replaceChildren(fresh);
  };
  filter.onValues = (values) => {
    history.replaceState(null, "", `${screen}?${query(values).slice(1)}`);
    return search(values);
  };
  await search(filter.values());
}
