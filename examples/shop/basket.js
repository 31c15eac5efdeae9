// The basket, with the totals an order of it would have.

import { element, money, number } from "./dom.js";
import { words } from "./language.js";
import { key, least, name, position, stepper, unitText } from "./catalogue.js";

/** A name for one order, so that it is placed once however often it is sent. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Basket {
  #lines = new Map();
  #changed;
  orderKey = newKey();

  /** `changed` is called after every change. */
  constructor(changed) {
    this.#changed = changed;
  }

  get size() {
    return this.#lines.size;
  }

  get lines() {
    return [...this.#lines.values()];
  }

  get positions() {
    return this.lines.map(({ offer, count }) => position(offer, count));
  }

  get articles() {
    return [...new Set(this.lines.map(({ offer }) => offer.article))];
  }

  add(offer, count) {
    const there = this.#lines.get(key(offer))?.count ?? 0;
    this.set(offer, there + count);
  }

  set(offer, count) {
    this.#lines.set(key(offer), { offer, count });
    this.#change();
  }

  remove(offer) {
    this.#lines.delete(key(offer));
    this.#change();
  }

  clear() {
    this.#lines.clear();
    this.#change();
  }

  #change() {
    this.orderKey = newKey();
    this.#changed();
  }
}

/** Totals as the package computes them: `{totals}`, `{problems}`, or `{}` without the package. */
export function totalsOf(rules, basket) {
  if (rules === undefined || basket.size === 0) return {};
  try {
    return { totals: rules.totalsOf({ Positionen: basket.positions }, basket.articles) };
  } catch (error) {
    return { problems: error.problems?.length > 0 ? error.problems : [{ message: error.message }] };
  }
}

/** The sums below positions, of a basket or an order. */
export function sums(header, recap) {
  const rows = [[words().net, header.AuftNetto]];
  if (header.AuftLiefKost) rows.push([words().delivery, header.AuftLiefKost]);
  for (const entry of recap) {
    const basis = money(entry.PosBetragNetto);
    rows.push([words().tax_of(number(entry.PosWUSTSatz), basis), entry.PosWUST]);
  }
  const lines = rows.map(([label, amount]) => sum(label, money(amount)));
  const last = sum(words().total, money(header.AuftBrutto, header.WaehrAbk));
  last.className = "total";
  return element("dl", { className: "sums" }, ...lines, last);
}

function sum(label, text) {
  const amount = element("dd", { textContent: text });
  return element("div", {}, element("dt", { textContent: label }), amount);
}

/** A line of the basket. */
export function basketLine(basket, { offer, count }, total) {
  const counter = stepper(words().count_of(name(offer)), count, least(offer), (value) =>
    basket.set(offer, value),
  );
  counter.querySelector("input").dataset.line = key(offer);
  const remove = element("button", {
    type: "button",
    className: "quiet",
    textContent: "×",
    "aria-label": words().remove_named(name(offer)),
    onclick: () => basket.remove(offer),
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
