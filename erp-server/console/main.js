// Login, navigation, and the screen that the address names. What a screen needs is loaded when it is first shown.

import { forget, kept } from "./api.js";
import { element, find } from "./dom.js";
import { zone } from "./format.js";
import { run } from "./form.js";
import { onLanguage, startLanguage, words } from "./language.js";
import { loginScreen } from "./login.js";

const GROUPS = {
  operation: ["state", "events", "import", "backup", "log"],
  business: ["orders", "customers", "articles", "invoices"],
  administration: ["users", "attributes", "audit"],
};

const SCREENS = {
  state: () => import("./state.js"),
  events: () => import("./events.js"),
  import: () => import("./import.js"),
  backup: () => import("./backup.js"),
  log: () => import("./log.js"),
  orders: () => import("./orders.js"),
  customers: () => import("./customers.js"),
  articles: () => import("./articles.js"),
  invoices: () => import("./invoices.js"),
  users: () => import("./users.js"),
  attributes: () => import("./attributes.js"),
  audit: () => import("./audit.js"),
};

let api;
let leaving = new AbortController();

/** The screen and the record that the address names: `#orders/100001`. */
function wanted() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  return { name: name in SCREENS ? name : "state", parts: rest.map(decodeURIComponent) };
}

function navigation() {
  const groups = Object.entries(GROUPS).map(([group, names]) =>
    element(
      "div",
      { className: "group" },
      element("p", { className: "hint", id: `group-${group}`, textContent: words()[`group_${group}`] }),
      element(
        "ul",
        { "aria-labelledby": `group-${group}` },
        names.map((name) => element("li", {}, element("a", { href: `#${name}`, textContent: words()[`nav_${name}`] }))),
      ),
    ),
  );
  find("#nav").replaceChildren(...groups);
}

function openMenu(open) {
  find("#menu").setAttribute("aria-expanded", String(open));
  find("#nav").classList.toggle("open", open);
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  for (const part of ["#nav", "#menu", "#who", "#zone"]) find(part).hidden = api === undefined;
  const place = element("div", { className: "screen" });
  find("#main").replaceChildren(place);
  if (api === undefined) {
    loginScreen(place, ended, start);
    return;
  }
  const { name, parts } = wanted();
  find("#user").textContent = api.user;
  find("#zone").textContent = words().times_in(zone());
  navigation();
  find(`#nav a[href="#${name}"]`).setAttribute("aria-current", "page");
  await run(place, async () => (await SCREENS[name]()).show({ place, api, parts, signal }));
  if (!signal.aborted) place.dataset.ready = name;
}

function start(loggedIn) {
  api = loggedIn;
  show();
  find("#main").focus({ preventScroll: true });
}

/** The server does not know the token any more. The address stays, so a new login leads to the same screen. */
function ended() {
  forget();
  api = undefined;
  show();
}

startLanguage();
onLanguage(show);
api = kept(ended);
find("#menu").addEventListener("click", ({ target }) => openMenu(target.getAttribute("aria-expanded") !== "true"));
find("#logout").addEventListener("click", async () => {
  await api.logout();
  ended();
});
window.addEventListener("hashchange", () => {
  // The link that skips to the content is no screen.
  if (location.hash === "#main") return;
  openMenu(false);
  show();
  find("#main").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
});
show();
