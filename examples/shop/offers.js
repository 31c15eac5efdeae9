// The offers of the customer. The server keeps them but has no list of them, so this browser remembers their numbers.

import { element } from "./dom.js";
import { words } from "./language.js";
import { documentHead } from "./orders.js";
import { orMissing } from "./session.js";

const SHOWN = 20;
const place = (number) => `erp-offers-${number}`;

/** The offers this browser has seen, newest first. */
const knownOffers = (number) => JSON.parse(localStorage.getItem(place(number)) ?? "[]");

export function rememberOffer(number, offer, at) {
  const all = [{ offer, at }, ...knownOffers(number).filter((one) => one.offer !== offer)];
  localStorage.setItem(place(number), JSON.stringify(all.slice(0, SHOWN)));
}

export async function view(shop, _, signal) {
  const known = knownOffers(shop.number);
  const read = await Promise.all(known.map(({ offer }) => orMissing(shop.client.readOffer(offer, { signal }))));
  const cards = read.filter(Boolean).map(({ data: { OffertNr, GrundDaten } }) => {
    const state = GrundDaten.AuftNr === undefined ? words().offer_open : words().became(GrundDaten.AuftNr);
    return element("li", { className: "card" }, documentHead(`#offer/${OffertNr}`, words().offer_number(OffertNr), GrundDaten, state));
  });
  const none = element("p", { className: "hint", textContent: words().no_offers });
  return {
    title: words().offers,
    parts: [cards.length > 0 ? element("ul", { className: "documents" }, ...cards) : none, byNumber(shop)],
  };
}

/** An offer of another browser, or one that the company has sent. */
function byNumber(shop) {
  const field = element("input", { id: "offer-number", inputMode: "numeric", maxLength: 16, required: true });
  const form = element(
    "form",
    { className: "card by-number" },
    element("label", { htmlFor: field.id, textContent: words().offer_by_number }),
    field,
    element("button", { textContent: words().show }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") shop.go(`offer/${encodeURIComponent(field.value.trim())}`);
  });
  return form;
}
