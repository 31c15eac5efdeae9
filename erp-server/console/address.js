// What screens and papers show alike: addresses and quantities.

import { element } from "./dom.js";
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

/** Base units, and packages where it is sold in them; an invoice counts what its unit says. */
export function quantity(one) {
  const pack = one.VPEinheit ? ` (${number(one.VPEAnzBest)} ${one.VPEinheit})` : "";
  return `${number(one.PosAnzBest)}${pack || ` ${one.Einheit ?? ""}`}`.trim();
}
