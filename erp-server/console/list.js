// Lists that are read page by page.

import { element } from "./dom.js";
import { button, run } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

/**
 * Shows the first page of a list and a button for the next one. `load(after)` returns `{ rows, next }`; `next` is empty
 * after the last page.
 */
export async function list(place, { caption, columns, none, load }) {
  const { frame, add } = table(caption, columns);
  const shown = element("p", { className: "hint", role: "status" });
  const more = button(words().more, () => run(place, () => page(next)));
  let next;
  let count = 0;
  async function page(after) {
    more.disabled = true;
    try {
      const { rows, next: following } = await load(after);
      add(rows);
      count += rows.length;
      next = following;
    } finally {
      more.disabled = false;
    }
    more.hidden = !next;
    frame.hidden = count === 0;
    shown.textContent = count === 0 ? none : words().rows_shown(count, Boolean(next));
  }
  more.hidden = true;
  frame.hidden = true;
  place.replaceChildren(frame, element("div", { className: "row" }, shown, more));
  await page();
}

/** A list with a filter above it. `filter` is a form; `show(values)` returns what [`list`] needs. */
export async function filteredList(place, filter, show) {
  const below = element("section", { className: "card" });
  place.append(filter, below);
  let latest;
  filter.onValues = async (values) => {
    const fresh = element("div", { className: "stack" });
    latest = fresh;
    await run(fresh, () => list(fresh, show(values)));
    // A later one may have been faster.
    if (latest === fresh) below.replaceChildren(fresh);
  };
  await filter.onValues(filter.values());
}
