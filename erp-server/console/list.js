// Lists that are read page by page: their filter, which can be kept, their order, and the whole of what is found as a file.

import { query } from "./api.js";
import { csv } from "./csv.js";
import { element, news, paragraph } from "./dom.js";
import { number } from "./format.js";
import { button, resting, run } from "./form.js";
import { keptFilters } from "./kept.js";
import { words } from "./language.js";
import { save } from "./save.js";
import { table } from "./table.js";

const AT_ONCE = 50;
/** Rows of a file, and how many of them are read at once: the most that a page of the server has. */
const FILE_ROWS = 100_000;
const FILE_PAGE = 200;
/** Rows that are read to sort them here. */
const SORTED = 1_000;

/**
 * Shows the first page of a list and a button for the next one. `load(after, limit)` returns `{ data, next }` as the server does;
 * `next` is empty after the last page. `actions(readOn)` makes the nodes above the rows, where `readOn(most)` shows more of them;
 * `order` sorts, where the server can; `file`, if there is one, has a name and `more` columns than those whose values are known. A
 * fifth part of a column is its value where it does not sort.
 */
async function list(place, { caption, columns, none, load, actions, order, file }, signal) {
  let isSorted = false;
  const sortHere = async () => {
    await run(place, () => readOn(SORTED));
    isSorted = true;
    tell();
  };
  const { frame, add } = table(caption, columns, [], order ?? (columns.some(([, , , field]) => field) ? { change: sortHere } : undefined));
  const shown = news("hint");
  const more = button(words().more, () => run(place, () => page(AT_ONCE)));
  const whole = button(words().as_file, () => run(place, () => resting(whole, download)), "small");
  let next;
  let count = 0;
  let limit;
  let last = Promise.resolve();
  // One after the other: each begins where the one before ended.
  const page = (most) => (last = last.catch(() => undefined).then(() => nextPage(most)));
  async function nextPage(most) {
    if (count > 0 && !next) return;
    const read = await resting(more, () => load(next, most)).catch(unfinished);
    add(read.data);
    count += read.data.length;
    next = read.next;
    more.hidden = !next;
    for (const part of [frame, ...above]) part.hidden = count === 0;
    whole.hidden = count === 0 || file === undefined;
    ({ limit } = read);
    tell();
  }
  function tell() {
    const say = words();
    const all = count === 0 && !next ? none : words()[next ? "rows_shown_more" : "rows_shown"](number(count));
    const told = limit === undefined ? all : `${count === 0 ? say.nothing_so_far : say.rows_shown(number(count))}. ${say.too_broad(number(limit))}`;
    shown.textContent = isSorted && next ? `${told}. ${say.sorted_shown}` : told;
  }
  async function readOn(most) {
    while (next && count < most) await page(FILE_PAGE);
  }
  async function download() {
    const say = words();
    const found = await everything(load, (rows) => (shown.textContent = say.rows_read(number(rows))), signal);
    const known = columns.map(([head, , , field, value = field]) => [head, value]).filter(([, value]) => typeof value === "function");
    save(csv([...known, ...(file.more ?? [])], found.rows), `${file.name}.csv`);
    shown.textContent = found.isWhole ? say.file_saved(number(found.rows.length)) : say.file_cut(number(found.rows.length));
  }
  const above = actions?.(readOn) ?? [];
  for (const part of [more, frame, whole, ...above]) part.hidden = true;
  place.replaceChildren(...above, frame, element("div", { className: "row" }, shown, more, whole));
  await page(AT_ONCE);
}

/** All rows of a list up to a bound, and whether they are all. */
async function everything(load, onRows, signal) {
  const rows = [];
  let next;
  do {
    signal.throwIfAborted();
    const read = await load(next, FILE_PAGE).catch(unfinished);
    rows.push(...read.data);
    onRows(rows.length);
    if (read.limit !== undefined) return { rows, isWhole: false };
    next = read.next;
  } while (next && rows.length < FILE_ROWS);
  return { rows: rows.slice(0, FILE_ROWS), isWhole: !next && rows.length <= FILE_ROWS };
}

/** What is known of a search that read as much as the server allows without finding more. */
function unfinished(error) {
  if (error.code !== "too_broad") throw error;
  return { data: [], limit: error.limit };
}

/** Choices of a filter, `[value, text]`, of which each shows its rows at once; `count(value, text)` says how many there are. */
export function kinds(name, label, choices) {
  const counts = new Map();
  const each = choices.map(([value, text]) => {
    counts.set(value, element("span", { className: "count" }));
    return element("label", {}, element("input", { type: "radio", name, value, checked: value === "" }), element("span", { textContent: text }), " ", counts.get(value));
  });
  const node = element("fieldset", { className: "kinds wide" }, element("legend", { className: "unseen", textContent: label }), each);
  node.addEventListener("change", () => node.form.requestSubmit());
  return { node, count: (value, text) => (counts.get(value).textContent = text) };
}

/** Fills a filter with the values after the `?` of the URL. */
function fill(filter, asked) {
  const values = new URLSearchParams(asked);
  for (const control of filter.elements) {
    if (control.type === "checkbox") control.checked = values.has(control.name);
    else if (control.type === "radio") control.checked = control.value === (values.get(control.name) ?? "");
    else if (control.name) control.value = values.get(control.name) ?? "";
  }
}

/** What `draw(place, values)` makes of the values of a filter, which are in the URL: Back and a reload restore them. */
export async function filtered(filter, below, draw) {
  const [screen, asked] = location.hash.split("?");
  if (asked !== undefined) fill(filter, asked);
  let latest;
  let shown;
  const search = async (values) => {
    const fresh = element("div", { className: "stack" });
    latest = fresh;
    const wanted = JSON.stringify(values);
    // Results of another filter must not stay below this one.
    if (shown !== wanted) below.replaceChildren(paragraph(words().searching, "hint"));
    await run(fresh, () => draw(fresh, values));
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

/** A list with a filter above it, a form that can be kept; `show(values)` returns what [`list`] needs, sooner or later. */
export function filteredList(place, filter, show, signal) {
  const below = element("section", { className: "card" });
  place.append(filter, keptFilters(location.hash.split("?")[0], () => query(filter.values()).slice(1)), below);
  return filtered(filter, below, async (fresh, values) => list(fresh, await show(values), signal));
}
