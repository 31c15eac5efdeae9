// Offers: the list, and one of them, which becomes an order or is copied.

import { addresses, OF_ORDER } from "./address.js";
import { jsonBody, path, query } from "./api.js";
import { ofCustomer } from "./customers.js";
import { badge, element, heading, link } from "./dom.js";
import { day, money } from "./format.js";
import { button, confirmed, field, filter, input } from "./form.js";
import { words } from "./language.js";
import { filteredList, kinds } from "./list.js";
import { about, act, comments, ifThere, positions, sums } from "./order.js";
import { customerNamed, orderLink } from "./orders.js";

const offerLink = (number) => link(`#offers/${encodeURIComponent(number)}`, number);

/** Open, or the order that it became. */
const state = ({ AuftNr }) => (AuftNr ? [badge(words().offer_A, "good"), " ", orderLink(AuftNr)] : badge(words().offer_P));

function columns() {
  const say = words();
  return [
    [say.offer, (offer) => offerLink(offer.OffertNr), "", (offer) => offer.OffertNr],
    [say.state, state, "", (offer) => say[`offer_${offer.AuftStatus}`]],
    [say.date, (offer) => day(offer.AuftErf), "when", (offer) => offer.AuftErf],
    [say.customer, (offer) => (offer.Template ? say.template : customerNamed(offer)), "wide", (offer) => offer.Name],
    [say.their_number, (offer) => offer.AuftBestellNr, "reference", (offer) => offer.AuftBestellNr],
    [say.total, (offer) => money(offer.AuftBrutto, offer.WaehrAbk), "amount", (offer) => offer.AuftBrutto],
  ];
}

/** The same offer as the content of a request. Addresses of the customer are taken as they are now. */
function copyOf({ GrundDaten: head, Adressen, Positionen }, customer) {
  const { KundNr, AuftBez, AuftBestellRef, AuftLieferT, WaehrAbk, AuftKomment } = head;
  const own = Object.entries(Adressen).filter(([, address]) => address.AdrNr === undefined);
  return {
    GrundDaten: { KundNr, AuftBez, AuftBestellRef, AuftLieferT, WaehrAbk, AuftKomment },
    Adressen: Object.fromEntries(own.map(([use, address]) => [use, { AdrSprache: customer?.AdrSprache, AdrAnrede: 0, ...address }])),
    Positionen: Positionen.filter(({ ArtNr }) => ArtNr).map(({ ArtNr, PosAnzBest: Menge, PosBez, VPEinheit, GRabSatz, VisPosNr }) => ({ ArtNr, Menge, PosBez, VPEinheit, GRabSatz, VisPosNr })),
  };
}

async function showOffer(place, api, number, signal) {
  const say = words();
  const own = `/www/offerte${query({ OffertNr: number })}`;
  const { data: offer, tag } = await api.tagged(own, { signal });
  const { KundNr: known, AuftNr, Template: isTemplate } = offer.GrundDaten;
  const customer = known && (await ifThere(api, path("www", "kunden", known), signal));
  const accept = async () => {
    const asked = input("customer", { maxLength: 8, inputMode: "numeric" });
    const question = isTemplate ? say.accept_for(number) : say.sure_accept(number, [known, customer?.KundBez].filter(Boolean).join(" "));
    if (!(await confirmed(question, say.accept_offer, undefined, isTemplate ? [field(say.customer, asked)] : []))) return;
    const body = { GrundDaten: { KundNr: known ?? asked.value.trim(), OffertNr: number } };
    const { data } = await api.json("/www/auftrag", { method: "PUT", ...jsonBody(body), match: tag }).catch((error) => {
      if (error.status === 412) throw new Error(say.changed_meanwhile);
      const unlike = (error.mismatch ?? []).map((one) => `${say[`unlike_${one.subject}`]}: ${one.offer ?? "–"} ≠ ${one.customer ?? "–"}`);
      error.problems = [...(error.problems ?? []), ...unlike.map((message) => ({ path: "", message }))];
      throw error;
    });
    location.hash = `#orders/${data.AuftNr}`;
  };
  const copy = async () => {
    const made = await api.change("POST", "/www/offerte", copyOf(offer, customer));
    location.hash = `#offers/${made.OffertNr}`;
  };
  const actions = [
    ...(!AuftNr && api.may("convertOffer") ? [button(say.accept_offer, () => act(place, accept), "main")] : []),
    ...(api.may("createOffer") ? [button(say.copy_offer, () => act(place, copy))] : []),
  ];
  place.append(
    heading(say.offer_title(number), customer?.KundBez, ...actions),
    element("div", { className: "cards" }, about(say.offer, state(offer.GrundDaten), offer, customer, offer.GrundDaten.KundBedBez), sums(offer), comments(offer, customer)),
    positions(offer),
    ...(isTemplate ? [] : [addresses(offer.Adressen, OF_ORDER)]),
    element("p", {}, link("#offers", say.back_to(say.nav_offers))),
  );
}

export async function show({ place, api, parts: [offer], signal }) {
  if (offer !== undefined) return showOffer(place, api, offer, signal);
  const say = words();
  const asked = filter(
    [
      kinds("status", say.state, [["", say.all], ["P", say.offer_P], ["A", say.offer_A]]).node,
      field(say.customer, input("customer", { type: "search", maxLength: 80 }), say.customer_hint),
      field(say.from, input("von", { type: "date" })),
      field(say.until, input("bis", { type: "date" })),
    ],
    say.search,
  );
  place.append(heading(say.nav_offers, say.offers_about));
  const list = (debinr, values) => ({
    caption: say.nav_offers,
    columns: columns(),
    none: say.no_offers,
    file: { name: "offers", more: [[say.currency, (offer) => offer.WaehrAbk], [say.customer_number, (offer) => offer.KundNr], [say.order, (offer) => offer.AuftNr]] },
    load: async (offset = 0, limit) => {
      const { data, links } = await api.json(`/www/offerten${query({ ...values, debinr, limit, offset })}`, { signal });
      return { data, next: links.some(({ rel }) => rel === "next") ? offset + data.length : undefined };
    },
  });
  return filteredList(place, asked, (values) => ofCustomer(api, "#offers", values, list, signal), signal);
}
