// Filters that a person has kept under a name, in this browser.

import { element, link } from "./dom.js";
import { button, confirmed, input } from "./form.js";
import { words } from "./language.js";

const KEPT = "erp-console-filters";
const NAME = 40;

/** The kept filters of a screen as links, and a field that keeps the present one; `now()` is its query. */
export function keptFilters(screen, now) {
  const say = words();
  const place = `${KEPT}${screen}`;
  /** The queries by name. What is not of this form counts as none. */
  const read = () => {
    try {
      return new Map(JSON.parse(localStorage.getItem(place)));
    } catch {
      return new Map();
    }
  };
  const change = (edit) => {
    const all = read();
    edit(all);
    localStorage.setItem(place, JSON.stringify([...all]));
    draw();
  };
  const chips = element("ul", { className: "chips", "aria-label": say.kept_filters });
  const name = input("", { maxLength: NAME, "aria-label": say.filter_name, placeholder: say.filter_name });
  const form = element("form", { className: "row" }, name, element("button", { className: "small", textContent: say.keep_filter }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const named = name.value.trim();
    if (named === "") return name.focus();
    change((all) => all.set(named, now()));
    name.value = "";
  });
  const chip = ([named, query]) => {
    const forget = async () => {
      if (await confirmed(say.sure_forget(named), say.remove)) change((all) => all.delete(named));
    };
    const remove = button("×", forget, "quiet small");
    remove.ariaLabel = say.forget_filter(named);
    return element("li", {}, link(`${screen}?${query}`, named), remove);
  };
  const draw = () => {
    const all = [...read()];
    chips.hidden = all.length === 0;
    chips.replaceChildren(...all.map(chip));
  };
  draw();
  return element("div", { className: "row kept" }, chips, form);
}
