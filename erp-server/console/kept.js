// Filters that a person has kept under a name, in this browser.

import { element, link } from "./dom.js";
import { button, confirmed, input } from "./form.js";
import { words } from "./language.js";

const KEPT = "erp-console-filters";
const NAME = 40;

/** All kept filters: of each screen, the queries by name. What is not of this form counts as none. */
function read() {
  try {
    const all = JSON.parse(localStorage.getItem(KEPT));
    return new Map(Object.entries(all).map(([screen, filters]) => [screen, new Map(Object.entries(filters).map(([name, query]) => [name, String(query)]))]));
  } catch {
    return new Map();
  }
}

function write(all) {
  const plain = [...all].map(([screen, filters]) => [screen, Object.fromEntries(filters)]);
  localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(plain)));
}

/** The kept filters of a screen as links, and a field that keeps the present one; `now()` is its query. */
export function keptFilters(screen, now) {
  const say = words();
  const change = (edit) => {
    const all = read();
    const own = all.get(screen) ?? new Map();
    edit(own);
    write(all.set(screen, own));
    draw();
  };
  const chips = element("ul", { className: "chips", "aria-label": say.kept_filters });
  const name = input("", { maxLength: NAME, "aria-label": say.filter_name, placeholder: say.filter_name });
  const keep = element("button", { className: "small", textContent: say.keep_filter });
  const form = element("form", { className: "row" }, name, keep);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const named = name.value.trim();
    if (named === "") return name.focus();
    change((own) => own.set(named, now()));
    name.value = "";
  });
  async function forget(named) {
    if (await confirmed(say.sure_forget(named), say.remove)) change((own) => own.delete(named));
  }
  function draw() {
    const own = [...(read().get(screen) ?? [])];
    chips.hidden = own.length === 0;
    chips.replaceChildren(
      ...own.map(([named, query]) => {
        const remove = button("×", () => forget(named), "quiet small");
        remove.ariaLabel = say.forget_filter(named);
        return element("li", {}, link(`${screen}?${query}`, named), remove);
      }),
    );
  }
  draw();
  return element("div", { className: "row kept" }, chips, form);
}
