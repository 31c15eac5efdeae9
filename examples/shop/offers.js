// The offers of the customer.

import { element, nothing } from "./dom.js";
import { words } from "./language.js";
import { documentHead } from "./orders.js";
import { listPage } from "./pager.js";

export async function view(shop, argument, signal) {
  const { entries, pages } = await listPage(shop, "offers", argument, signal);
  const cards = entries.map((offer) => {
    const state = offer.AuftNr === undefined ? words().offer_open : words().became(offer.AuftNr);
    return element("li", { className: "card" }, documentHead(`#offer/${offer.OffertNr}`, words().offer_number(offer.OffertNr), offer, state));
  });
  const none = nothing(words().no_offers, "#shop", words().all_articles);
  return {
    title: words().offers,
    parts: [cards.length > 0 ? element("ul", { className: "documents" }, ...cards) : none, ...pages],
  };
}
