// The live shop: log in, choose articles, order.

import { login } from "./api.js";
import { Basket, basketLine, sums, totalsOf } from "./basket.js";
import { card, matches, name } from "./catalogue.js";
import { element, find, money } from "./dom.js";
import { onLanguage, words } from "./language.js";
import { orderView } from "./order.js";
import { load } from "./package.js";
import { Pictures } from "./pictures.js";

const PAGE = 12;

/** The language that the server answers a customer in, for who listens and for hyphens. */
const LANGUAGES = { ger: "de", fre: "fr", eng: "en", ita: "it" };

const form = find("#login");
const live = find("#live");
let shop;

/** What an error means for a person. */
function sentence(error) {
  if (error.status === 0) return words().no_server;
  if (error.status === 401) return words().token_ended;
  if (error.status === 429 || error.status === 503) return words().busy;
  return error.message;
}

class Shop {
  articles = [];
  search = "";
  first = 0;
  order;
  shown;
  said = "";
  problems = [];

  constructor(api, number, customer) {
    this.api = api;
    this.number = number;
    this.customer = customer;
    this.pictures = new Pictures(api);
    this.basket = new Basket(() => this.showBasket());
  }

  async start() {
    this.build();
    load(() => import("./erp-wasm/index.js"), "#totals-missing", "live_totals").then((rules) => {
      this.rules = rules;
      this.bare = rules === undefined;
      this.showBasket();
    });
    for await (const page of this.api.articles(this.number)) {
      this.articles.push(...page);
      this.showArticles();
    }
  }

  /** Everything anew, as after a change of language. */
  build() {
    if (this.order !== undefined) {
      live.replaceChildren(this.head(), orderView(this.order, this.shown, () => this.again()));
      return;
    }
    const missing = element("p", {
      id: "totals-missing",
      className: "notice info",
      hidden: this.bare !== true,
      textContent: words().live_totals,
    });
    const basket = element("section", { id: "basket", className: "card basket", "aria-labelledby": "basket-title" });
    live.replaceChildren(
      this.head(),
      element("div", { className: "columns" }, this.list(), element("div", { className: "side" }, basket, missing)),
      element("a", { id: "to-basket", className: "to-basket button main", href: "#basket", onclick: toBasket }),
      element("p", { id: "said", className: "unseen", role: "status" }),
    );
    this.showArticles();
    this.showBasket();
  }

  head() {
    const out = element("button", { type: "button", className: "quiet", textContent: words().logout, onclick: end });
    const text = words().prices_of(this.customer.KundBez ?? "", this.number);
    return element("div", { className: "row" }, element("p", { className: "who", textContent: text }), out);
  }

  list() {
    const input = element("input", {
      id: "search",
      type: "search",
      value: this.search,
      placeholder: words().search_hint,
      oninput: () => {
        this.search = input.value.trim();
        this.first = 0;
        this.showArticles();
      },
    });
    const step = (text, by) =>
      element("button", { type: "button", textContent: text, onclick: () => this.turn(by) });
    this.earlier = step(words().earlier, -PAGE);
    this.later = step(words().later, PAGE);
    return element(
      "section",
      { className: "articles", "aria-labelledby": "articles-title" },
      element("h2", { id: "articles-title", tabIndex: -1, textContent: words().articles }),
      element("div", { className: "field" }, element("label", { htmlFor: "search", textContent: words().search }), input),
      element("p", { id: "found", className: "hint", role: "status" }),
      element("ul", { id: "articles", className: "grid" }),
      element("nav", { className: "row pages", "aria-label": words().pages }, this.earlier, this.later),
    );
  }

  turn(by) {
    this.first += by;
    this.showArticles();
    find("#articles-title").focus();
  }

  showArticles() {
    if (this.order !== undefined) return;
    const found = this.articles.filter((article) => matches(article, this.search));
    const shown = found.slice(this.first, this.first + PAGE);
    const last = this.first + shown.length;
    find("#found").textContent = words().shown(this.first + 1, last, found.length);
    this.earlier.disabled = this.first === 0;
    this.later.disabled = last >= found.length;
    const add = (offer, count) => {
      this.basket.add(offer, count);
      find("#said").textContent = words().added(name(offer));
    };
    const lang = LANGUAGES[this.customer.AdrSprache] ?? "";
    find("#articles").replaceChildren(...shown.map((article) => card(article, lang, this.pictures, add)));
  }

  showBasket() {
    const place = find("#basket");
    if (this.order !== undefined || place === null) return;
    const focused = document.activeElement?.dataset?.line;
    const { totals, problems } = totalsOf(this.rules, this.basket);
    this.shown = totals?.GrundDaten;
    const list = this.basket.lines.map((line, at) =>
      basketLine(this.basket, line, totals?.Positionen[at]?.PosPreisTotal),
    );
    place.replaceChildren(
      element("h2", { id: "basket-title", tabIndex: -1, textContent: words().basket }),
      ...(list.length === 0 ? [element("p", { className: "hint", textContent: words().basket_empty })] : []),
      element("ul", { className: "lines" }, ...list),
      this.sums(totals, problems),
      element("div", { id: "order-problem", role: "alert" }),
      this.orderButton(),
    );
    if (focused) place.querySelector(`[data-line="${CSS.escape(focused)}"]`)?.focus();
    this.showBar(totals);
  }

  sums(totals, problems) {
    const made = element("div", { id: "sums", role: "status" });
    if (totals) made.append(sums(totals.GrundDaten, totals.MWSTRekapitulation));
    if (problems) made.append(element("p", { className: "problem", textContent: words().no_total }), list(problems));
    return made;
  }

  orderButton() {
    return element("button", {
      type: "button",
      id: "order",
      className: "main",
      textContent: words().order,
      disabled: this.basket.size === 0,
      onclick: () => this.place(),
    });
  }

  /** The way to the basket on a phone. */
  showBar(totals) {
    const bar = find("#to-basket");
    bar.hidden = this.basket.size === 0;
    const amount = totals ? money(totals.GrundDaten.AuftBrutto, totals.GrundDaten.WaehrAbk) : "";
    bar.textContent = words().basket_short(this.basket.size, amount);
  }

  async place() {
    const button = find("#order");
    button.disabled = true;
    button.textContent = words().ordering;
    const body = { GrundDaten: { KundNr: this.number }, Positionen: this.basket.positions };
    try {
      const number = await this.api.order(body, this.basket.orderKey);
      this.order = await this.api.readOrder(number);
      this.build();
      find("#order-title").focus();
    } catch (error) {
      const text = error.status === 0 ? words().order_unknown : `${words().order_refused} ${sentence(error)}`;
      const told = [element("p", { className: "problem", textContent: text }), list(error.problems ?? [])];
      find("#order-problem").replaceChildren(...told);
      button.disabled = false;
      button.textContent = words().order;
    }
  }

  again() {
    this.order = undefined;
    this.shown = undefined;
    this.basket.clear();
    this.build();
    find("#articles-title").focus();
  }
}

function list(problems) {
  const lines = problems.map((problem) => element("li", { textContent: problem.message }));
  return element("ul", { className: "problems" }, ...lines);
}

function toBasket(event) {
  event.preventDefault();
  find("#basket").scrollIntoView();
  find("#basket-title").focus({ preventScroll: true });
}

function end() {
  shop?.pictures.end();
  shop?.api.logout().catch(() => undefined);
  shop = undefined;
  live.hidden = true;
  find("#part-shop .lead").hidden = false;
  live.replaceChildren();
  form.hidden = false;
  form.elements.password.value = "";
  find("#password").focus();
}

async function begin() {
  const { user, password, customer } = form.elements;
  const number = customer.value.trim();
  if (number === "") throw new Error(words().customer_needed);
  const api = await login(user.value.trim(), password.value).catch((error) => {
    throw error.status === 401 ? new Error(words().login_refused) : error;
  });
  const known = await api.customer(number).catch((error) => {
    throw error.status === 404 ? new Error(words().no_customer(number)) : error;
  });
  shop = new Shop(api, number, known);
  form.hidden = true;
  live.hidden = false;
  find("#part-shop .lead").hidden = true;
  await shop.start();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const problem = find("#login-problem");
  problem.textContent = "";
  button.disabled = true;
  try {
    await begin();
    find("#articles-title").focus();
  } catch (error) {
    problem.textContent = sentence(error);
  }
  button.disabled = false;
});
onLanguage(() => shop?.build());
form.dataset.ready = "";
