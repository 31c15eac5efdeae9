// Login, navigation, and the screen that the address names. What a screen needs is loaded when it is first shown.

import { forget, kept } from "./api.js";
import { DEMO } from "./demo.js";
import { element, find, heading, paragraph } from "./dom.js";
import { zone } from "./format.js";
import { button, run } from "./form.js";
import { onLanguage, startLanguage, words } from "./language.js";
import { loginScreen } from "./login.js";

const GROUPS = {
  operation: ["state", "events", "import", "backup", "log"],
  business: ["orders", "bills", "customers", "articles", "sales", "stock", "invoices"],
  administration: ["users", "attributes", "audit", "password"],
};

/** Each screen with the operation of the server without which it shows nothing. */
const SCREENS = {
  state: ["readStats", () => import("./state.js")],
  events: ["listEvents", () => import("./events.js")],
  import: ["importMasterData", () => import("./import.js")],
  backup: ["createBackup", () => import("./backup.js")],
  log: ["readLog", () => import("./log.js")],
  orders: ["listOrders", () => import("./orders.js")],
  bills: ["listInvoices", () => import("./bills.js")],
  customers: ["listCustomers", () => import("./customers.js")],
  articles: ["listArticles", () => import("./articles.js")],
  sales: ["readSales", () => import("./sales.js")],
  stock: ["listLowStock", () => import("./stock.js")],
  invoices: ["processInvoice", () => import("./invoices.js")],
  users: ["listUsers", () => import("./users.js")],
  attributes: ["listCompanyAttributes", () => import("./attributes.js")],
  audit: ["listAudit", () => import("./audit.js")],
  password: ["setOwnPassword", () => import("./password.js")],
  search: ["listOrders", () => import("./search.js")],
};

let api;
/** The user and password of the link that a demo printed. */
let demo;
let leaving = new AbortController();

/** A part of the address; one that is not well encoded is taken as it is. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The screen and the record that the address names: `#orders/100001`. The values of a filter come after a `?`. */
function wanted() {
  const [name, ...rest] = location.hash.slice(1).split("?")[0].split("/");
  return { name: Object.hasOwn(SCREENS, name) ? name : "state", parts: rest.map(decoded) };
}

/** Loads the module of a screen. A browser may remember that it could not, so only a new load of the page tries again. */
async function screen(name) {
  const [operation, load] = SCREENS[name];
  const say = words();
  if (!api.may(operation)) {
    return { show: ({ place }) => place.append(heading(say[`nav_${name}`] ?? say.search, ""), paragraph(say.not_for_role(say[`role_${api.role}`]), "notice warn")) };
  }
  try {
    return await load();
  } catch {
    return {
      show: ({ place }) =>
        place.append(heading(say[`nav_${name}`], ""), paragraph(say.not_loaded, "notice failure"), button(say.try_again, () => location.reload(), "main")),
    };
  }
}

function navigation() {
  const allowed = Object.entries(GROUPS).map(([group, names]) => [group, names.filter((name) => api.may(SCREENS[name][0]))]);
  const groups = allowed.filter(([, names]) => names.length > 0).map(([group, names]) =>
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
  for (const part of ["#nav", "#menu", "#who", "#zone", "#search"]) find(part).hidden = api === undefined;
  const place = element("div", { className: "screen" });
  find("#main").replaceChildren(place);
  if (api === undefined) {
    loginScreen(place, ended, start, demo);
    return;
  }
  const { name, parts } = wanted();
  find("#user").textContent = api.user;
  find("#zone").textContent = words().times_in(zone());
  await run(place, async () => {
    await api.ask(signal);
    if (signal.aborted) return;
    navigation();
    find(`#nav a[href="#${name}"]`)?.setAttribute("aria-current", "page");
    await (await screen(name)).show({ place, api, parts, signal });
  });
  if (!signal.aborted) place.dataset.ready = name;
}

function start(loggedIn) {
  api = loggedIn;
  demo = undefined;
  show();
  find("#main").focus({ preventScroll: true });
}

/** The server does not know the token any more. The address stays, so a new login leads to the same screen. */
function ended() {
  forget();
  api = undefined;
  // The next user is not shown what this one looked for.
  find("#search").reset();
  show();
}

/** The content of the link that a demo prints. Other servers ignore it. */
function demoLink() {
  const [, user, password] = /^#demo=([^:]+):(.+)$/.exec(location.hash) ?? [];
  if (user === undefined) return undefined;
  history.replaceState(null, "", location.pathname);
  return DEMO ? { user, password } : undefined;
}

startLanguage();
onLanguage(show);
demo = demoLink();
if (demo === undefined) api = kept(ended);
find("#menu").addEventListener("click", ({ target }) => openMenu(target.getAttribute("aria-expanded") !== "true"));
find("#search").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = find("#search input").value.trim();
  if (asked !== "") location.hash = `#search/${encodeURIComponent(asked)}`;
});
find("#logout").addEventListener("click", async () => {
  await api.logout();
  ended();
});
window.addEventListener("hashchange", () => {
  // The link that skips to the content is not a screen.
  if (location.hash === "#main") return;
  if (location.hash.startsWith("#demo=")) return location.reload();
  openMenu(false);
  show();
  find("#main").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
});
show();
