// What an article is sold in and costs, and its card in the list.

import { element, money, number } from "./dom.js";
import { words } from "./language.js";

/** The packages an article can be ordered in, or the article itself. Those without a price are left out. */
export function offers(article) {
  const packs = article.HatVPE === "J" ? (article.Verpackungen ?? []) : [article];
  const all = packs.map((pack) => ({
    article,
    unit: pack.VPEinheit,
    label: pack.VPBezeichnung || pack.VPEinheit || article.Einheit || "",
    factor: pack.Faktor || 1,
    currency: article.WaehrAbk,
    tiers: pack.Preis ?? [],
  }));
  return all.filter(({ tiers }) => tiers.length > 0);
}

export const key = (offer) => `${offer.article.ArtNr} ${offer.unit ?? ""}`;
export const least = (offer) => Math.max(1, Math.min(...offer.tiers.map((tier) => tier.AbAnzahl || 1)));
export const name = (offer) => offer.article.ArtBez;
export const unitText = (offer) => words().holds(offer.label, offer.factor, offer.article.Einheit ?? "");

/** The position of an order for so many packages. */
export function position(offer, count) {
  const one = { ArtNr: offer.article.ArtNr, Menge: count * offer.factor };
  return offer.unit === undefined ? one : { ...one, VPEinheit: offer.unit };
}

/** Without accents and capitals. */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export function matches(article, search) {
  const text = plain(`${article.ArtBez} ${article.ArtNr} ${article.ArtGruppe ?? ""}`);
  return plain(search).split(/\s+/).every((word) => text.includes(word));
}

/** A field for whole numbers with buttons beside it. */
export function stepper(label, value, smallest, change) {
  const input = element("input", {
    type: "number",
    inputMode: "numeric",
    min: smallest,
    max: 99999,
    step: 1,
    value,
    "aria-label": label,
  });
  const set = (wanted) => {
    input.value = Math.min(99999, Math.max(smallest, Math.round(wanted) || smallest));
    change(Number(input.value));
  };
  const button = (text, by) =>
    element("button", {
      type: "button",
      tabIndex: -1,
      textContent: text,
      "aria-hidden": "true",
      onclick: () => set(Number(input.value) + by),
    });
  input.addEventListener("change", () => set(Number(input.value)));
  return element("div", { className: "stepper" }, button("−", -1), input, button("+", 1));
}

function priceLines(offer) {
  const [first, ...more] = offer.tiers.toSorted((a, b) => (a.AbAnzahl ?? 0) - (b.AbAnzahl ?? 0));
  const price = (tier) => money(tier.PreisList, offer.currency);
  const unit = element("small", { textContent: ` ${words().per(offer.label)}` });
  const main = element("p", { className: "price" }, element("strong", { textContent: price(first) }), unit);
  if (first.Preisart === "B") unit.append(`, ${words().gross}`);
  const tiers = more.map((tier) => words().from(number(tier.AbAnzahl), price(tier))).join(" · ");
  return [main, element("p", { className: "tiers", textContent: tiers })];
}

/** A colour for a group of articles, for those without a picture. */
const hue = (group) => [...group].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);

/** An article in the list, its name in a language; `add` gets the offer and the count. */
export function card(article, lang, pictures, add) {
  const sold = offers(article);
  const image = element("img", { alt: "", hidden: true });
  const tile = element(
    "div",
    { className: "tile" },
    element("span", { textContent: article.ArtBez.slice(0, 1), "aria-hidden": "true" }),
    image,
  );
  tile.style.setProperty("--hue", hue(article.ArtGruppe ?? ""));
  pictures.show(article.ArtNr, tile);
  const made = element(
    "li",
    { className: "card article" },
    tile,
    element("h3", { textContent: article.ArtBez, lang }),
    element("p", { className: "hint", textContent: article.ArtNr }),
  );
  made.append(...(sold.length > 0 ? buying(sold, add) : [onRequest()]));
  return made;
}

function onRequest() {
  return element("p", { className: "price", textContent: words().on_request });
}

function buying(sold, add) {
  let offer = sold[0];
  let count = least(offer);
  const prices = element("div", { className: "prices" }, ...priceLines(offer));
  const counter = element("div");
  const refresh = () => {
    count = least(offer);
    prices.replaceChildren(...priceLines(offer));
    const label = words().count_of(name(offer));
    counter.replaceChildren(stepper(label, count, least(offer), (value) => (count = value)));
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
    onclick: () => add(offer, count),
  });
  parts.push(element("div", { className: "buy" }, counter, button));
  return parts;
}
