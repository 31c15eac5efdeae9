// The basket next to the articles, with the totals an order of it would have.

import { totalsOf } from "./basket.js";
import { stepper } from "./catalogue.js";
import { element, find, money } from "./dom.js";
import { problemList, sums } from "./document.js";
import { words } from "./language.js";
import { key, least, name, stockHint, unitText } from "./offers.js";
import { load } from "./package.js";

export class BasketPanel {
  #shop;
  #rules;
  #bare = false;

  constructor(shop) {
    this.#shop = shop;
  }

  view() {
    const missing = element("p", {
      id: "totals-missing",
      className: "notice info",
      hidden: !this.#bare,
      textContent: words().live_totals,
    });
    const basket = element("section", { id: "basket", className: "card basket", "aria-labelledby": "basket-title" });
    queueMicrotask(() => this.show());
    return element("div", { className: "side" }, basket, missing);
  }

  /** The way to the basket on a phone; it stays in sight below the articles. */
  bar() {
    const bar = element("button", { id: "to-basket", type: "button", className: "main", onclick: toBasket });
    return element("div", { className: "to-basket" }, bar);
  }

  /** The totals of the basket, when the package is there. */
  totals() {
    const { basket } = this.#shop;
    if (basket.size > 0) this.#load();
    return totalsOf(this.#rules, basket);
  }

  /** The package is loaded when there is something to add up. */
  #load() {
    this.loading ??= load(() => import("./erp-wasm/index.js"), "#totals-missing", "live_totals").then((rules) => {
      this.#rules = rules;
      this.#bare = rules === undefined;
      this.show();
    });
    return this.loading;
  }

  /** Loads the package and adds up. */
  async loaded() {
    if (this.#shop.basket.size > 0) await this.#load();
    return this.totals();
  }

  show() {
    const place = find("#basket");
    if (place === null) return;
    const { basket } = this.#shop;
    const focused = document.activeElement?.dataset?.line;
    const { totals, problems } = this.totals();
    const lines = basket.lines.map((line, at) => basketLine(basket, line, totals?.Positionen[at]?.PosPreisTotal));
    place.replaceChildren(
      element("h2", { id: "basket-title", tabIndex: -1, textContent: words().basket }),
      ...(lines.length === 0 ? [element("p", { className: "hint", textContent: words().basket_empty })] : []),
      element("ul", { className: "lines" }, ...lines),
      sumsOf(totals, problems),
      ...(lines.length === 0 ? [] : [element("a", { className: "button main", href: "#checkout", textContent: words().checkout })]),
    );
    if (focused) place.querySelector(`[data-line="${CSS.escape(focused)}"]`)?.focus();
    this.#showBar(totals);
  }

  #showBar(totals) {
    const bar = find("#to-basket");
    const { size } = this.#shop.basket;
    bar.parentElement.hidden = size === 0;
    const amount = totals ? money(totals.GrundDaten.AuftBrutto, totals.GrundDaten.WaehrAbk) : "";
    bar.textContent = words().basket_short(size, amount);
  }
}

export function sumsOf(totals, problems) {
  const made = element("div", { id: "sums", role: "status" });
  if (totals) made.append(sums(totals.GrundDaten, totals.MWSTRekapitulation));
  if (problems) made.append(element("p", { className: "problem", textContent: words().no_total }), problemList(problems));
  return made;
}

export function toBasket() {
  find("#basket").scrollIntoView();
  find("#basket-title").focus({ preventScroll: true });
}

/** A line of the basket. */
function basketLine(basket, { offer, count }, total) {
  const counter = stepper(words().count_of(name(offer)), count, least(offer), (value) => basket.set(offer, value), (value) => stockHint(offer, value));
  counter.querySelector("input").dataset.line = key(offer);
  const remove = element("button", {
    type: "button",
    className: "quiet",
    textContent: "×",
    "aria-label": words().remove_named(name(offer)),
    onclick: () => {
      basket.remove(offer);
      find("#basket-title")?.focus({ preventScroll: true });
    },
  });
  return element(
    "li",
    {},
    element("p", { className: "line-name" }, name(offer)),
    remove,
    element("div", { className: "line-count" }, counter, element("span", { textContent: unitText(offer) })),
    element("p", { className: "line-sum", textContent: total === undefined ? "" : money(total) }),
  );
}
