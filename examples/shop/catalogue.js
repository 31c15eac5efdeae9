// The card of an article, and how it is bought.

import { capital, element, money, number, table } from "./dom.js";
import { tagOf, words } from "./language.js";
import { inStock, isSold, least, name, nameOf, offers, perText, stockHint, tiersOf, unit, unitText } from "./packs.js";

/** The largest quantity of a line. */
export const MOST = 99999;

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
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const button = (text, by) =>
    element("button", { type: "button", tabIndex: -1, textContent: text, "aria-hidden": "true", onclick: () => step(by) });
  input.addEventListener("change", take);
  const field = element("div", { className: "stepper" }, button("−", -1), input, button("+", 1));
  return element("div", { className: "counter" }, field, told);
}

const kindOf = ({ Preisart }) => (Preisart === "B" ? words().gross : words().net_price);

/** The price of the first tier, and the next one; all of them are a table on the page of the article. */
function priceLines(offer, isWhole) {
  const [first, ...more] = tiersOf(offer);
  const basis = ({ PosPreisBasis = 1 }) => PosPreisBasis;
  const price = (tier) => money(tier.PreisList, offer.currency) + (basis(tier) === basis(first) ? "" : ` ${perText(offer, tier)}`);
  const main = element(
    "p",
    { className: "price" },
    element("strong", { textContent: price(first) }),
    element("small", { textContent: ` ${perText(offer, first)}, ${kindOf(first)}` }),
  );
  if (more.length === 0) return [main];
  if (!isWhole) {
    const text = more.map((tier) => words().from(number(tier.AbAnzahl), price(tier)).replaceAll(" ", "\u00a0")).join(" · ");
    return [main, element("p", { className: "tiers", textContent: text })];
  }
  const part = (tier) => (tier.PreisList * basis(first)) / (first.PreisList * basis(tier));
  const saved = (tier) => (part(tier) < 1 ? `−${number(Math.round(100 - 100 * part(tier)))} %` : "");
  const rows = tiersOf(offer).map((tier) => [words().from_count(number(tier.AbAnzahl ?? 1)), price(tier), saved(tier)]);
  return [main, table(words().tiers, [`${words().quantity} (${offer.label()})`, words().price, words().saved], rows, ["", "amount", "amount"], "tier-table")];
}

/** A colour for a group of articles, for those without a picture. */
const hue = (group) => [...group].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);

/** The place of an article's picture; its first letter until there is one. */
export function tile(article, pictures) {
  const { ArtNr, ArtGruppe } = article;
  const image = element("img", { alt: "", hidden: true });
  const letter = element("span", { textContent: nameOf(article).slice(0, 1), "aria-hidden": "true" });
  const made = element("div", { className: "tile" }, letter, image);
  made.style.setProperty("--hue", hue(ArtGruppe ?? ""));
  if (ArtNr !== undefined) pictures.show(ArtNr, made);
  return made;
}

/** The picture of a position of a document. */
export const positionTile = (one, pictures) => tile({ ...one, ArtBez: one.PosBez }, pictures);

/** Whether an article is there; with `isExact` how much of it. */
export function stockMark(article, isExact = false) {
  const there = inStock(article);
  if (there === undefined) return undefined;
  const some = isExact ? words().stock_of(there, unit(article, there)) : words().in_stock;
  return element("p", { className: there > 0 ? "stock there" : "stock", textContent: there > 0 ? some : words().out_of_stock });
}

export const articleAddress = (number) => `#article/${encodeURIComponent(number)}`;

/** The cards of a list. */
export const articles = (shop, list) => list.map((article) => articleCard(shop, article));

function articleCard(shop, article) {
  const address = articleAddress(article.ArtNr);
  const link = element("a", { href: address, textContent: nameOf(article), lang: tagOf(shop.customer.AdrSprache) });
  const picture = element("a", { href: address, tabIndex: -1, "aria-hidden": "true" }, tile(article, shop.pictures));
  return element(
    "li",
    { className: "article" },
    picture,
    element("h3", {}, link),
    element("p", { className: "hint" }, element("span", { textContent: article.ArtNr }), stockMark(article)),
    ...buying(shop, article),
  );
}

/** The choice of a package: buttons on the page of its article, a list that opens on a card. */
function packChoice(sold, isWhole, choose) {
  const label = words().pack_of(name(sold[0]));
  const texts = sold.map((one) => capital(unitText(one)));
  if (!isWhole) {
    const options = texts.map((textContent, value) => element("option", { value, textContent }));
    const list = element("select", { "aria-label": label, onchange: () => choose(sold[list.value]) }, ...options);
    return list;
  }
  const buttons = texts.map((text, at) =>
    element("label", {}, element("input", { type: "radio", name: "pack", checked: at === 0, onchange: () => choose(sold[at]) }), text),
  );
  return element("fieldset", { className: "groups" }, element("legend", { className: "unseen", textContent: label }), ...buttons);
}

/** Price, package, quantity and the button, or that there is no price; with `isWhole` all tiers. */
export function buying(shop, article, isWhole = false) {
  const sold = offers(article);
  if (sold.length === 0) return [element("p", { className: "price", textContent: isSold(article) ? words().on_request : words().not_sold })];
  let offer = sold[0];
  let count = least(offer);
  const prices = element("div", { className: "prices" });
  let counter;
  const refresh = () => {
    count = least(offer);
    prices.replaceChildren(...priceLines(offer, isWhole));
    const label = words().count_of(name(offer));
    const made = stepper(label, count, least(offer), (value) => (count = value), (value) => stockHint(offer, value));
    counter?.replaceWith(made);
    counter = made;
  };
  refresh();
  const parts = [prices];
  if (sold.length > 1) {
    const choose = (one) => {
      offer = one;
      refresh();
    };
    parts.push(packChoice(sold, isWhole, choose));
  } else if (offer.factor > 1) {
    parts.push(element("p", { className: "hint", textContent: capital(unitText(offer)) }));
  }
  const button = element("button", {
    type: "button",
    className: "main",
    textContent: words().add,
    "aria-label": words().add_named(name(offer)),
    onclick: () => {
      const field = counter.querySelector("input");
      if (field.validity.valid) shop.add(offer, count);
      else field.focus();
    },
  });
  parts.push(element("div", { className: "buy" }, counter, button));
  return parts;
}

/** The way from the first page to the view: links with their texts. */
export function crumbs(...links) {
  const all = [["#home", words().home], ...links];
  const items = all.map(([href, text]) => element("li", {}, element("a", { href, textContent: text })));
  return element("nav", { className: "crumbs", "aria-label": words().crumbs }, element("ol", {}, ...items));
}
