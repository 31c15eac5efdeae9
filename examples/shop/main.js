// The parts of the page, one at a time. What a part needs is loaded when it is first shown, so that the
// page can be read before any of it.

import { COMPANY, LEGAL } from "./company.js";
import { element, find } from "./dom.js";
import { onLanguage, startLanguage, title, words } from "./language.js";

const PARTS = {
  shop: () => import("./shop.js"),
  invoice: () => import("./invoice.js"),
  address: () => import("./address.js"),
};
const TOOLS = ["invoice", "address"];
/** The first words of the addresses of the shop. */
const SHOP = ["home", "shop", "demo", "article", "basket", "checkout", "orders", "order", "offers", "offer", "addresses"];
/** Where what is shown is listed. */
const LISTS = { order: "#orders", offer: "#offers" };

let shown;

async function show() {
  const [written, rest = ""] = location.hash.slice(1).split(/[/=](.*)/s);
  const first = [...SHOP, ...TOOLS].includes(written) ? written : "home";
  const name = TOOLS.includes(first) ? first : "shop";
  for (const part of Object.keys(PARTS)) find(`#part-${part}`).hidden = part !== name;
  shown = name;
  const isTool = TOOLS.includes(name);
  find("#tools").hidden = !isTool;
  if (isTool) scrollTo({ top: 0, behavior: "instant" });
  for (const link of document.querySelectorAll("header a, .tabs a, footer a")) {
    if (link.hash === `#${first}`) link.setAttribute("aria-current", "page");
    else if (link.hash === LISTS[first]) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  find("#missing")?.remove();
  try {
    const part = await PARTS[name]();
    if (isTool) title(words()[name]);
    await part.show?.(first, rest);
  } catch (error) {
    console.warn(error);
    missing(name);
  }
}

/** Says that a part cannot be loaded. */
function missing(name) {
  const notice = element("p", { id: "missing", className: "notice info", role: "status", textContent: words().no_server });
  notice.dataset.word = "no_server";
  find(`#part-${name} .lead`).after(notice);
}

// A file that misses its place must not open in place of the page.
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => event.preventDefault());
}

for (const place of document.querySelectorAll("[data-company]")) place.textContent = [COMPANY[place.dataset.company]].flat().join(", ");
const legal = Object.entries(LEGAL).filter(([, href]) => href);
find("#legal").append(...legal.map(([name, href]) => element("a", { href, "data-word": `legal_${name}` })));
find("#legal").hidden = legal.length === 0;
startLanguage();
onLanguage(() => {
  if (TOOLS.includes(shown)) title(words()[shown]);
});
// The address says what is shown, so the link to the content must not change it.
find(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  find("#main").focus();
});
window.addEventListener("hashchange", () => {
  show();
  find("#main").focus({ preventScroll: true });
});
show();
