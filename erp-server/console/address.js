// What screens and papers show alike: addresses and quantities.

import { card, element } from "./dom.js";
import { number } from "./format.js";
import { words } from "./language.js";

/** An address in lines. */
export function address(from) {
  const say = words();
  const person = [from.AdrVorname, from.AdrName].filter(Boolean).join(" ");
  const town = [from.OrtLand, from.OrtPLZ, from.OrtName].filter(Boolean).join(" ");
  const others = [["AdrTf1", say.phone], ["AdrTf2", say.phone], ["AdrTelex", say.mobile], ["AdrFax", say.fax]]
    .filter(([name]) => from[name])
    .map(([name, text]) => `${text} ${from[name]}`);
  const lines = [from.AdrFirma, from.AdrFirma2, person, from.AdrAdresse1, from.AdrAdresse2, town, from.EmailAdress, ...others];
  return element("address", {}, lines.filter(Boolean).map((text) => element("span", { textContent: text })));
}

/** A card with the addresses of contact, delivery and invoice, under these names; the first of a list is the usual one. */
export function addresses(all, names) {
  const say = words();
  const titles = [say.contact, say.delivered_to, say.billed_to];
  const shown = names.flatMap((name, at) => [all?.[name] ?? []].flat().map((one) => element("div", {}, element("h3", { textContent: titles[at] }), address(one))));
  return card(say.addresses, element("div", { className: "facts" }, shown));
}

/** The names of the addresses of an order or an offer. */
export const OF_ORDER = ["KontaktAdr", "LiefAdr", "RechAdr"];

/** Base units, and packages where it is sold in them; an invoice counts what its unit says. */
export function quantity(one) {
  const pack = one.VPEinheit ? ` (${number(one.VPEAnzBest)} ${one.VPEinheit})` : "";
  return `${number(one.PosAnzBest)}${pack || ` ${one.Einheit ?? ""}`}`.trim();
}
