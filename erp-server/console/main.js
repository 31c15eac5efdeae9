// Login, navigation, and the screen that the address names. What a screen needs is loaded when it is first shown.

import { Api } from "./api.js";
import { DEMO } from "./demo.js";
import { element, find, heading, link, paragraph } from "./dom.js";
import { zone } from "./format.js";
import { button, run } from "./form.js";
import { onLanguage, startLanguage, words } from "./language.js";
import { loginDialog, loginScreen } from "./login.js";
import { askTabs, forget, keep, kept, onTabs } from "./tabs.js";

const GROUPS = {
  business: ["day", "orders", "offers", "bills", "customers", "articles", "stock", "sales", "invoices"],
  operation: ["import", "events", "backup"],
  administration: ["attributes", "users", "audit", "state", "log", "password"],
};

/** Each screen with the operation of the server without which it shows nothing. */
const SCREENS = {
  day: ["countOrders", () => import("./day.js")],
  state: ["readStats", () => import("./state.js")],
  events: ["listEvents", () => import("./events.js")],
  import: ["importMasterData", () => import("./import.js")],
  backup: ["createBackup", () => import("./backup.js")],
  log: ["readLog", () => import("./log.js")],
  orders: ["listOrders", () => import("./orders.js")],
  offers: ["listOwnOffers", () => import("./offers.js")],
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
  return { name: Object.hasOwn(SCREENS, name) ? name : "day", parts: rest.map(decoded) };
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

/** A record that is not there: where to look for it. */
function missing(place, name, [record]) {
  const say = words();
  place.replaceChildren(
    heading(say[`nav_${name}`], ""),
    paragraph(say.not_there(record), "notice warn"),
    element("p", {}, link(`#search/${encodeURIComponent(record)}`, say.search_for(record)), " · ", link(`#${name}`, say.back_to(say[`nav_${name}`]))),
  );
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
    loginScreen(place, entered, demo);
    return;
  }
  const { name, parts } = wanted();
  // A search shows what it is for, and is empty elsewhere.
  find("#search input").value = name === "search" ? (parts[0] ?? "") : "";
  find("#user").textContent = api.user;
  find("#zone").textContent = words().times_in(zone());
  await run(place, async () => {
    await api.ask(signal);
    if (signal.aborted) return;
    navigation();
    find(`#nav a[href="#${name}"]`)?.setAttribute("aria-current", "page");
    try {
      await (await screen(name)).show({ place, api, parts, signal });
    } catch (error) {
      if (error.status !== 404 || !parts[0]) throw error;
      missing(place, name, parts);
    }
  });
  if (!signal.aborted) place.dataset.ready = name;
}

/** Shows the wanted screen with a login. */
function start(login) {
  demo = undefined;
  keep(login);
  api = new Api(login);
  api.onEnd = ended;
  api.onLapse = lapsed;
  return show();
}

function entered(login) {
  start(login);
  find("#main").focus({ preventScroll: true });
}

/** The login is over in this tab. The address stays, so a new login leads to the same screen. */
function ended() {
  forget();
  api = undefined;
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  show();
}

/** The server does not know the token any more: the same user gets another one, someone else a screen of their own. */
async function lapsed() {
  const login = await loginDialog(api);
  if (login === undefined || login.user === api?.user) return login?.token;
  entered(login);
  return undefined;
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
onTabs((login) => {
  if (login === undefined && api !== undefined) ended();
  else if (login !== undefined && api === undefined) entered(login);
});
demo = demoLink();
find("#menu").addEventListener("click", ({ target }) => openMenu(target.getAttribute("aria-expanded") !== "true"));
find("#search").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = find("#search input").value.trim();
  if (asked !== "") location.hash = `#search/${encodeURIComponent(asked)}`;
});
find("#logout").addEventListener("click", async () => {
  await api.logout();
  api.end();
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
const known = demo === undefined ? (kept() ?? (await askTabs(() => true))) : undefined;
if (known === undefined) show();
else if (api === undefined) start(known);
