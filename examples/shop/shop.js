// The shop: the view for a URL, and the state that all views share.

import { articleView } from "./article.js";
import { Basket } from "./basket.js";
import { BasketPanel } from "./basket-panel.js";
import { checkoutView } from "./checkout.js";
import { element, find } from "./dom.js";
import { onLanguage, title, words } from "./language.js";
import { ListView } from "./list.js";
import { offerView } from "./offer.js";
import { orderView } from "./order.js";
import { ordersView } from "./orders.js";
import { Pictures } from "./pictures.js";
import { logOut, sentence, startSession, useLink } from "./session.js";

const live = find("#live");
let shop;
let ready;
let route = ["shop", ""];

/** What the views of a customer share. */
class Shop {
  constructor(session) {
    const { number, customer } = session;
    Object.assign(this, { session, number, customer });
    this.pictures = new Pictures(session);
    this.basket = new Basket(number, () => this.panel.show());
    this.panel = new BasketPanel(this);
    this.list = new ListView(this);
    this.basket.refresh(this.client, number);
  }

  /** The client of now: another tab may have got a newer token. */
  get client() {
    return this.session.client;
  }

  add(offer, count) {
    this.basket.add(offer, count);
    find("#said").textContent = words().added(offer.article.ArtBez);
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

  end() {
    this.pictures.end();
  }
}

const VIEWS = {
  shop: (shop) => shop.list.view(),
  article: articleView,
  checkout: checkoutView,
  orders: ordersView,
  order: orderView,
  offer: offerView,
};
/** Views with the basket next to them. */
const BESIDE = ["shop", "article"];
let turn = new AbortController();

/** Shows the view for the URL. */
export async function show(name, argument) {
  const link = name === "demo" ? decoded(argument) : undefined;
  // The password must not stay in the URL.
  if (link !== undefined) history.replaceState(null, "", "#shop");
  route = link === undefined ? [name, decoded(argument)] : ["shop", ""];
  if (ready === undefined) {
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

async function begin(session) {
  shop = new Shop(session);
  live.hidden = false;
  find("#part-shop .lead").hidden = true;
  await render();
}

function end() {
  turn.abort();
  shop?.end();
  shop = undefined;
  live.hidden = true;
  live.replaceChildren();
  find("#part-shop .lead").hidden = false;
  headline(words().shop);
}

/** The head of the view and of the window. */
function headline(text, lang = document.documentElement.lang) {
  Object.assign(find("#shop-title"), { textContent: text, lang });
  title(text);
}

async function render() {
  turn.abort();
  turn = new AbortController();
  const { signal } = turn;
  const [name, argument] = route;
  const place = element("div", { className: "view", "aria-busy": "true" });
  const waiting = element("p", { className: "hint", role: "status", textContent: words().loading });
  place.append(waiting);
  const shown = BESIDE.includes(name)
    ? [element("div", { className: "columns" }, place, shop.panel.view()), shop.panel.bar()]
    : [place];
  live.replaceChildren(head(), ...shown, element("p", { id: "said", className: "unseen", role: "status" }));
  try {
    const view = await VIEWS[name](shop, argument, signal);
    if (signal.aborted) return;
    headline(view.title, view.lang);
    place.replaceChildren(...view.parts.filter(Boolean));
    view.shown?.();
  } catch (error) {
    if (signal.aborted) return;
    headline(words().shop);
    place.replaceChildren(element("p", { className: "notice", role: "alert", textContent: sentence(error) }), again());
  }
  place.removeAttribute("aria-busy");
}

function again() {
  return element("button", { type: "button", textContent: words().try_again, onclick: render });
}

function head() {
  const out = element("button", { type: "button", className: "quiet", textContent: words().logout, onclick: logOut });
  const text = words().prices_of(shop.customer.KundBez ?? "", shop.number);
  return element("div", { className: "row head no-print" }, element("p", { className: "who", textContent: text }), out);
}

window.addEventListener("storage", ({ key }) => shop?.basket.follow(key));
onLanguage(() => {
  if (shop !== undefined) render();
  else headline(words().shop);
});
