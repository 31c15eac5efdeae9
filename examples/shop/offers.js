// What an article is sold in.

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
    stock: (pack.Bestand ?? []).reduce((sum, { LagerBestand }) => sum + LagerBestand, 0),
  }));
  return all.filter(({ tiers }) => tiers.length > 0);
}

export const key = (offer) => `${offer.article.ArtNr} ${offer.unit ?? ""}`;
export const least = (offer) => Math.max(1, Math.min(...offer.tiers.map((tier) => tier.AbAnzahl || 1)));
export const name = (offer) => offer.article.ArtBez;
export const unitText = (offer) => words().holds(offer.label, offer.factor, offer.article.Einheit ?? "");

/** Whether an article is there; nothing for one without a stock, as services. */
export function inStock(article) {
  if (article.AnLager !== "J") return undefined;
  const packs = article.HatVPE === "J" ? (article.Verpackungen ?? []) : [article];
  return packs.some(({ Bestand = [] }) => Bestand.some(({ LagerBestand }) => LagerBestand > 0));
}

/** The position of an order for so many packages. */
export function position(offer, count) {
  const one = { ArtNr: offer.article.ArtNr, Menge: count * offer.factor };
  return offer.unit === undefined ? one : { ...one, VPEinheit: offer.unit };
}
