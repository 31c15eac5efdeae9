// Login, navigation, and the screen that the address names. What a screen needs is loaded when it is first shown.

import { Api } from "./api.js";
import { DEMO } from "./demo.js";
import { element, find, heading, link, paragraph } from "./dom.js";
import { zone } from "./format.js";
import { button, run } from "./form.js";
import { onLanguage, startLanguage, words } from "./language.js";
import { loginDialog, loginScreen } from "./login.js";
import { askTabs, forget, keep, kept, onTabs } from "./tabs.js";

/** The screens by group, each with the operation of the server without which it shows nothing. */
const GROUPS = {
  business: {
    day: "countOrders", orders: "listOrders", offers: "listOwnOffers", bills: "listInvoices", customers: "listCustomers",
    articles: "listArticles", stock: "listLowStock", sales: "readSales", invoices: "processInvoice",
  },
  operation: { import: "importMasterData", events: "listEvents", backup: "createBackup" },
  administration: { attributes: "listCompanyAttributes", users: "listUsers", audit: "listAudit", state: "readStats", log: "readLog", password: "setOwnPassword" },
};
const SCREENS = Object.assign({ search: "listOrders" }, ...Object.values(GROUPS));

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
  const say = words();
  const instead = (...parts) => ({ show: ({ place }) => place.append(heading(say[`nav_${name}`] ?? say.search, ""), ...parts) });
  if (!api.may(SCREENS[name])) return instead(paragraph(say.not_for_role(say[`role_${api.role}`]), "notice warn"));
  return import(`./${name}.js`).catch(() => instead(paragraph(say.not_loaded, "notice failure"), button(say.try_again, () => location.reload(), "main")));
}

/** A record that is not there: where to look for it. */
function missing(place, name, [record]) {
  const say = words();
  const links = [link(`#search/${encodeURIComponent(record)}`, say.search_for(record)), " · ", link(`#${name}`, say.back_to(say[`nav_${name}`]))];
  place.replaceChildren(heading(say[`nav_${name}`], ""), paragraph(say.not_there(record), "notice warn"), element("p", {}, links));
}

function navigation() {
  const say = words();
  const groups = Object.entries(GROUPS).map(([group, screens]) => {
    const links = Object.keys(screens).filter((name) => api.may(SCREENS[name])).map((name) => element("li", {}, link(`#${name}`, say[`nav_${name}`])));
    const title = element("p", { className: "hint", id: `group-${group}`, textContent: say[`group_${group}`] });
    return links.length > 0 ? element("div", { className: "group" }, title, element("ul", { "aria-labelledby": title.id }, links)) : "";
  });
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
