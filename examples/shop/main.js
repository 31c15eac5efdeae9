// The parts of the page, one at a time. What a part needs is loaded when it is first shown, so that the
// page can be read before any of it.

import { element, find } from "./dom.js";
import { onLanguage, startLanguage, title, words } from "./language.js";

const PARTS = {
  shop: () => import("./shop.js"),
  invoice: () => import("./invoice.js"),
  address: () => import("./address.js"),
};
/** The part of the shop a first word of the address means; others are parts of their own. */
const SHOP = ["shop", "demo", "article", "checkout", "orders", "order", "offer"];

let shown;

async function show() {
  const [first, rest = ""] = (location.hash.slice(1) || "shop").split(/[/=](.*)/s);
  const name = SHOP.includes(first) ? "shop" : first;
  if (!Object.hasOwn(PARTS, name)) return;
  for (const part of Object.keys(PARTS)) find(`#part-${part}`).hidden = part !== name;
  shown = name;
  if (name !== "shop") title(words()[name]);
  const current = ["orders", "order", "offer"].includes(first) ? "orders" : name;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === `#${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const part = await PARTS[name]();
    await part.show?.(first, rest);
  } catch (error) {
    console.warn(error);
    missing(name);
  }
}

/** Says that a part cannot work without the package. */
function missing(name) {
  if (find("#missing") !== null) return;
  const notice = element("p", { id: "missing", className: "notice info", role: "status" });
  find(`#part-${name} .lead`).after(notice);
  onLanguage(() => (notice.textContent = words().not_built));
}

// A file that misses its place must not open in place of the page.
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => event.preventDefault());
}

startLanguage();
onLanguage(() => {
  if (shown !== undefined && shown !== "shop") title(words()[shown]);
});
window.addEventListener("hashchange", () => {
  show();
  find("#main").focus({ preventScroll: true });
});
show();
