// The orders of the customer, and the offers that were requested here.

import { element, table, time } from "./dom.js";
import { words } from "./language.js";

const SHOWN = 50;
const place = (number) => `erp-offers-${number}`;

/** The offers requested in this browser, newest first; the server has no list of offers. */
const knownOffers = (number) => JSON.parse(localStorage.getItem(place(number)) ?? "[]");

export function rememberOffer(number, offer, at) {
  const all = [{ offer, at }, ...knownOffers(number).filter((one) => one.offer !== offer)];
  localStorage.setItem(place(number), JSON.stringify(all.slice(0, SHOWN)));
}

export async function ordersView(shop, _, signal) {
  const { data } = await shop.client.readCustomer(shop.number, { order: SHOWN }, { signal });
  const orders = (data.Auftrag ?? []).map(({ AuftNr, AuftErfUTC, PlanStatus }) => [
    element("a", { href: `#order/${AuftNr}`, textContent: AuftNr }),
    time(AuftErfUTC),
    words().states[PlanStatus] ?? PlanStatus,
  ]);
  const offers = knownOffers(shop.number).map(({ offer, at }) => [
    element("a", { href: `#offer/${offer}`, textContent: offer }),
    time(at),
  ]);
  return {
    title: words().my_orders,
    parts: [
      block(words().orders, words().no_orders, [words().number, words().ordered_on, words().order_state], orders),
      block(words().offers, words().no_offers, [words().number, words().asked_on], offers),
    ],
  };
}

function block(title, none, heads, rows) {
  const content = rows.length > 0 ? table(title, heads, rows) : element("p", { className: "hint", textContent: none });
  return element("section", { className: "card" }, element("h2", { textContent: title }), content);
}
