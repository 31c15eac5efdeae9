// The card of an article, and how it is bought.

import { element, money, number } from "./dom.js";
import { words } from "./language.js";
import { inStock, least, name, offers, stockHint, unitText } from "./offers.js";

/** The largest quantity of a line. */
const MOST = 99999;

/**
 * A field for whole numbers with buttons next to it. Other input shows an error and changes nothing; `hint` may return
 * a hint about a number.
 */
export function stepper(label, value, smallest, change, hint = () => "") {
  const input = element("input", {
    type: "number",
    inputMode: "numeric",
    min: smallest,
    max: MOST,
    step: 1,
    required: true,
    value,
    "aria-label": label,
  });
  const told = element("small", { className: "told", role: "status", textContent: hint(value) });
  const take = () => {
    const { valid } = input.validity;
    input.setAttribute("aria-invalid", String(!valid));
    told.textContent = valid ? hint(Number(input.value)) : words().whole_numbers(smallest, MOST);
    if (valid) change(Number(input.value));
  };
  const step = (by) => {
    input.value = Math.min(MOST, Math.max(smallest, Math.trunc(Number(input.value)) + by));
    take();
  };
  const button = (text, by) =>
    element("button", { type: "button", tabIndex: -1, textContent: text, "aria-hidden": "true", onclick: () => step(by) });
  input.addEventListener("change", take);
  const field = element("div", { className: "stepper" }, button("−", -1), input, button("+", 1));
  return element("div", { className: "counter" }, field, told);
}

function priceLines(offer) {
  const [first, ...more] = offer.tiers.toSorted((a, b) => (a.AbAnzahl ?? 0) - (b.AbAnzahl ?? 0));
  const price = (tier) => money(tier.PreisList, offer.currency);
  const unit = element("small", { textContent: ` ${words().per(offer.label)}` });
  const main = element("p", { className: "price" }, element("strong", { textContent: price(first) }), unit);
  unit.append(`, ${first.Preisart === "B" ? words().gross : words().net_price}`);
  const tiers = more.map((tier) => words().from(number(tier.AbAnzahl), price(tier))).join(" · ");
  return [main, element("p", { className: "tiers", textContent: tiers })];
}

/** A colour for a group of articles, for those without a picture. */
const hue = (group) => [...group].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);

/** The place of an article's picture; its first letter until there is one. */
export function tile(article, pictures) {
  const image = element("img", { alt: "", hidden: true });
  const letter = element("span", { textContent: article.ArtBez.slice(0, 1), "aria-hidden": "true" });
  const made = element("div", { className: "tile" }, letter, image);
  made.style.setProperty("--hue", hue(article.ArtGruppe ?? ""));
  pictures.show(article.ArtNr, made);
  return made;
}

/** Whether an article is there. */
export function stockMark(article) {
  const there = inStock(article);
  if (there === undefined) return undefined;
  const text = there > 0 ? words().in_stock : words().out_of_stock;
  return element("p", { className: there > 0 ? "stock there" : "stock", textContent: text });
}

/** An article in the list, its name in a language; `add` gets the offer and the count. */
export function card(article, lang, pictures, add) {
  const address = `#article/${encodeURIComponent(article.ArtNr)}`;
  const link = element("a", { href: address, textContent: article.ArtBez, lang });
  const picture = element("a", { href: address, tabIndex: -1, "aria-hidden": "true" }, tile(article, pictures));
  return element(
    "li",
    { className: "card article" },
    picture,
    element("h3", {}, link),
    element("p", { className: "hint", textContent: article.ArtNr }),
    stockMark(article),
    ...buying(article, add),
  );
}

/** Price, package, quantity and the button, or that there is no price. */
export function buying(article, add) {
  const sold = offers(article);
  if (sold.length === 0) return [element("p", { className: "price", textContent: words().on_request })];
  let offer = sold[0];
  let count = least(offer);
  const prices = element("div", { className: "prices" }, ...priceLines(offer));
  let counter;
  const refresh = () => {
    count = least(offer);
    prices.replaceChildren(...priceLines(offer));
    const label = words().count_of(name(offer));
    const made = stepper(label, count, least(offer), (value) => (count = value), (value) => stockHint(offer, value));
    counter?.replaceWith(made);
    counter = made;
  };
  refresh();
  const parts = [prices];
  if (sold.length > 1) {
    const choice = element(
      "select",
      { "aria-label": words().pack_of(name(offer)) },
      ...sold.map((one, at) => element("option", { value: at, textContent: unitText(one) })),
    );
    choice.addEventListener("change", () => {
      offer = sold[Number(choice.value)];
      refresh();
    });
    parts.push(choice);
  } else if (offer.factor > 1) {
    parts.push(element("p", { className: "hint", textContent: unitText(offer) }));
  }
  const button = element("button", {
    type: "button",
    className: "main",
    textContent: words().add,
    "aria-label": words().add_named(name(offer)),
    onclick: () => {
      const field = counter.querySelector("input");
      if (field.validity.valid) add(offer, count);
      else field.focus();
    },
  });
  parts.push(element("div", { className: "buy" }, counter, button));
  return parts;
}
