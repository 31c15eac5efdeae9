// The shop: the view for a URL, and the state that all views share.

import { Basket } from "./basket.js";
import { capital, element, find } from "./dom.js";
import { showHead, showSearch, startHead } from "./header.js";
import { onLanguage, title, words } from "./language.js";
import { ListView } from "./list.js";
import { nameOf } from "./packs.js";
import { Pictures } from "./pictures.js";
import { logOut, sentence, startSession, useLink } from "./session.js";

const part = find("#part-shop");
const live = find("#live");
const welcome = find("#welcome");
let shop;
let ready;
let route = ["home", ""];

/** How long something is told, in milliseconds. */
const SAID = 5_000;

/** What the views of a customer share. */
class Shop {
  #groups;
  #said;
  /** Called when the basket changes; the view that is shown may set it. */
  watch = () => undefined;

  constructor(session) {
    const { number, customer } = session;
    Object.assign(this, { session, number, customer });
    this.pictures = new Pictures(session);
    this.basket = new Basket(number, () => {
      showHead(this);
      this.watch();
    });
    this.list = new ListView(this);
    this.basket.refresh(this.client, number);
  }

  /** The client of now: another tab may have got a newer token. */
  get client() {
    return this.session.client;
  }

  /** The groups of all articles, each with its number of articles. */
  groups() {
    const query = { debinr: this.number, limit: 1, fields: "ArtNr", gruppen: "J" };
    this.#groups ??= this.client
      .articlePages(query)
      .next()
      .then(({ value }) => value.gruppen ?? []);
    this.#groups.catch(() => (this.#groups = undefined));
    return this.#groups;
  }

  add(offer, count) {
    this.basket.add(offer, count);
    const ways = ["basket", "checkout"].map((to) => element("a", { href: `#${to}`, textContent: words()[to] }));
    this.say(words().added(nameOf(offer.article)), ...ways);
  }

  /** Tells something for a moment, in sight and aloud; longer while someone is at its links. */
  say(...parts) {
    const place = find("#said");
    place.replaceChildren(...parts);
    const end = () => {
      if (place.matches(":hover, :focus-within")) wait();
      else place.replaceChildren();
    };
    const wait = () => (this.#said = setTimeout(end, SAID));
    clearTimeout(this.#said);
    wait();
  }

  /** An address of the shop, without an entry for the one before when `replace` is set. */
  go(address, replace = false) {
    if (!replace) location.hash = address;
    else {
      history.replaceState(null, "", `#${address}`);
      route = address.split(/\/(.*)/s);
      render();
    }
  }

  /** Takes the URL as that of the view, which has changed it. */
  moved() {
    shownAddress = location.hash;
  }

  end() {
    this.pictures.end();
  }
}

const VIEWS = {
  home: () => import("./home.js"),
  shop: () => ({ view: () => shop.list.view() }),
  article: () => import("./article.js"),
  basket: () => import("./basket-view.js"),
  checkout: () => import("./checkout.js"),
  orders: () => import("./orders.js"),
  order: () => import("./order.js"),
  offers: () => import("./offers.js"),
  offer: () => import("./offer.js"),
  addresses: () => import("./addresses.js"),
};
/** Those with the links to the pages of the account. */
const ACCOUNT = ["orders", "order", "offers", "offer", "addresses"];
let turn = new AbortController();

/** How far addresses are scrolled, and whether the last step went back to one. */
const places = new Map();
let shownAddress;
let isBack = false;
history.scrollRestoration = "manual";
globalThis.navigation?.addEventListener("navigate", ({ navigationType }) => (isBack = navigationType === "traverse"));

/** Shows the view for the URL. */
export async function show(name, argument) {
  const link = name === "demo" ? decoded(argument) : undefined;
  // The password must not stay in the URL.
  if (link !== undefined) history.replaceState(null, "", "#home");
  route = link === undefined ? [name, decoded(argument)] : ["home", ""];
  if (ready === undefined) {
    startHead(search, logOut);
    ready = startSession(begin, end, link);
    await ready;
    return;
  }
  await ready;
  if (shop !== undefined) await render();
  if (link !== undefined) await useLink(link);
}

/** A part of an address as it was written; it may be anything. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Searches in the list while it is shown, and from elsewhere when the words are complete. */
function search(text, isComplete) {
  if (route[0] === "shop" && !part.hidden) shop.list.narrow({ search: text }, true);
  else if (isComplete) location.hash = shop.list.addressOf({ search: text });
}

async function begin(session) {
  shop = new Shop(session);
  welcome.hidden = true;
  live.hidden = false;
  showHead(shop);
  await render();
}

function end() {
  turn.abort();
  shop?.end();
  shop = undefined;
  showHead(undefined);
  live.hidden = true;
  find("#account-pages").hidden = true;
  live.replaceChildren();
  welcome.hidden = false;
  title(words().login);
}

/** The module of a view. One that does not come is told like a server that does not answer. */
async function moduleOf(name) {
  try {
    return await VIEWS[name]();
  } catch (error) {
    throw Object.assign(error, { status: 0 });
  }
}

async function render() {
  turn.abort();
  turn = new AbortController();
  const { signal } = turn;
  const [name, argument] = route;
  live.setAttribute("aria-busy", "true");
  if (live.childElementCount === 0) live.append(element("p", { className: "hint", role: "status", textContent: words().loading }));
  let shown;
  try {
    const { view } = await moduleOf(name);
    shown = await view(shop, argument, signal);
  } catch (error) {
    if (!signal.aborted) console.warn(error);
    const notice = element("p", { className: "notice", role: "alert", textContent: capital(sentence(error)) });
    shown = { title: words().sorry, parts: [notice, error.status === 404 ? toArticles() : again()] };
  }
  if (signal.aborted) return;
  shop.watch = shown.watch ?? (() => undefined);
  showSearch(name === "shop" ? shop.list.search : "");
  title(shown.title);
  const head = element("h1", { textContent: shown.title, lang: shown.lang ?? document.documentElement.lang });
  live.dataset.view = name;
  find("#account-pages").hidden = !ACCOUNT.includes(name);
  live.replaceChildren(...(shown.isHeaded ? [] : [head]), ...shown.parts.filter(Boolean));
  live.removeAttribute("aria-busy");
  shown.shown?.();
  if (shownAddress === location.hash) return;
  shownAddress = location.hash;
  find("#said").textContent = "";
  scrollTo({ top: (isBack && places.get(shownAddress)) || 0, behavior: "instant" });
}

/** What is not there is not there at the next try either. */
function toArticles() {
  return element("a", { className: "button", href: "#shop", textContent: words().all_articles });
}

function again() {
  return element("button", { type: "button", textContent: words().try_again, onclick: render });
}

window.addEventListener("scroll", () => shownAddress === location.hash && places.set(shownAddress, scrollY), { passive: true });
window.addEventListener("hashchange", () => {
  if (part.hidden) shownAddress = undefined;
});
window.addEventListener("storage", ({ key }) => shop?.basket.follow(key));
onLanguage(() => {
  if (shop !== undefined) render();
  else title(words().login);
});
