// The parts of the page, one at a time. What a part needs is loaded when it is first shown, so that the
// page can be read before any of it.

import { find } from "./dom.js";
import { startLanguage } from "./language.js";

const PARTS = {
  shop: () => import("./shop.js"),
  invoice: () => import("./invoice.js"),
  address: () => import("./address.js"),
};

function show() {
  const wanted = location.hash.slice(1);
  if (!(wanted in PARTS) && wanted !== "") return;
  const name = wanted || "shop";
  for (const part of Object.keys(PARTS)) {
    find(`#part-${part}`).hidden = part !== name;
    const link = find(`nav a[href="#${part}"]`);
    if (part === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  PARTS[name]();
}

startLanguage();
window.addEventListener("hashchange", () => {
  show();
  find("#main").focus({ preventScroll: true });
});
show();
