// What an article is sold in.

import { words } from "./language.js";

/** Whether an article is sold at all. */
export const isSold = ({ ArtikelStatus }) => ArtikelStatus !== 0;

/** The packages an article can be ordered in, or the article itself. Those without a price are left out. */
export function offers(article) {
  if (!isSold(article)) return [];
  const packs = article.HatVPE === "J" ? (article.Verpackungen ?? []) : [article];
  const all = packs.map((pack) => ({
    article,
    unit: pack.VPEinheit,
    // A basket outlives the language of the page.
    label: (count) => (pack.VPEinheit ? packName(pack.VPEinheit, pack.VPBezeichnung, count) : unit(article, count)),
    factor: pack.Faktor || 1,
    currency: article.WaehrAbk,
    tiers: pack.Preis ?? [],
  }));
  return all.filter(({ tiers }) => tiers.length > 0);
}

/** A word for one or several; one that is the same for both stands alone. */
function counted(word, count = 1) {
  const [one, several = one] = [word].flat();
  return count === 1 ? one : several;
}

/** The word for the code of a package; else its name, or the code without its capitals. */
export const packName = (code, told, count) => counted(words().packs[code], count) ?? (told || code.slice(0, 1) + code.slice(1).toLowerCase());

/** What an article is counted in. */
export const unit = ({ Einheit = "" }, count) => counted(words().units[Einheit], count) ?? Einheit;
export const key = (offer) => `${offer.article.ArtNr} ${offer.unit ?? ""}`;
/** The prices of an offer, from the smallest quantity on. */
export const tiersOf = ({ tiers }) => tiers.toSorted((a, b) => (a.AbAnzahl ?? 0) - (b.AbAnzahl ?? 0));
/** The list price when this number is ordered; discounts and rounding are the business of the totals. */
export const tierOf = (offer, count) => tiersOf(offer).findLast((tier) => (tier.AbAnzahl ?? 0) <= count);
/** What a list price is for: one package, or as many as its basis says. */
export const perText = (offer, { PosPreisBasis = 1 }) => words().per(offer.label(PosPreisBasis), PosPreisBasis);
export const least = (offer) => Math.max(1, Math.min(...offer.tiers.map((tier) => tier.AbAnzahl || 1)));
export const nameOf = ({ ArtNr, ArtBez }) => ArtBez ?? ArtNr;
export const name = (offer) => nameOf(offer.article);
export const unitText = (offer, count) => words().holds(offer.label(count), offer.factor, unit(offer.article, offer.factor));

/** What is there of an article without a package, or of one of its packages; more may be promised than is there. */
export const stockOf = ({ Bestand = [] }) => Math.max(0, Bestand.reduce((sum, { LagerBestand = 0 }) => sum + LagerBestand, 0));

const packsOf = ({ HatVPE, Verpackungen }) => (HatVPE === "J" ? (Verpackungen ?? []) : []);
/** Whether stock is kept in a package. A package of which none is kept takes what is loose. */
const isKept = ({ Bestand = [] }) => Bestand.length > 0;

/** How much of an article can be ordered, loose and packed; nothing for one without a stock, as services. */
export function inStock(article) {
  if (article.AnLager !== "J" || !isSold(article)) return undefined;
  const packs = packsOf(article);
  const loose = packs.length > 0 && packs.every(isKept) ? 0 : stockOf(article);
  return packs.filter(isKept).reduce((sum, pack) => sum + stockOf(pack) * (pack.Faktor || 1), loose);
}

/** The same of one of its packages. */
function inStockOf({ article, unit, factor }) {
  const pack = packsOf(article).find(({ VPEinheit }) => VPEinheit === unit);
  return pack && isKept(pack) ? stockOf(pack) * factor : Math.floor(stockOf(article) / factor) * factor;
}

/** The hint if there are fewer packages in stock than requested. */
export function stockHint(offer, count) {
  const there = inStock(offer.article) && inStockOf(offer);
  if (there === undefined || count * offer.factor <= there) return "";
  return there > 0 ? words().only_there(there, unit(offer.article, there)) : words().out_of_stock;
}

/** A quantity with the digits that the server takes: 3 × 0.7 is 2.0999999999999996 here. */
export const exact = (quantity) => Number(quantity.toFixed(6));

/** The position of an order for this number of packages. */
export function position(offer, count) {
  const one = { ArtNr: offer.article.ArtNr, Menge: exact(count * offer.factor) };
  return offer.unit === undefined ? one : { ...one, VPEinheit: offer.unit };
}
