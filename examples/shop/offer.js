// An offer: its quantities can be changed, and it becomes an order when it is accepted.

import { stepper } from "./catalogue.js";
import { action, addressLines, confirmed, documentCard, printButton, problemPlace, quantity } from "./document.js";
import { element, facts, money, time } from "./dom.js";
import { orderText, words } from "./language.js";
import { exact, packName } from "./packs.js";
import { sentence } from "./session.js";

export async function view(shop, number, signal) {
  const { data: offer, etag } = await shop.client.readOffer(number, { signal });
  const head = offer.GrundDaten;
  const title = words().offer_number(offer.OffertNr);
  const changes = new Map();
  const open = head.AuftNr === undefined;
  const quantityOf = (one) => (open ? counter(one, changes) : quantity(one));
  const pairs = [[words().asked_on, time(head.AuftBestellTUTC)]];
  /** What is accepted is what is shown: changes are saved first. */
  const allow = () => {
    const isWrong = card.querySelector('[aria-invalid="true"]') !== null;
    change.disabled = isWrong || changes.size === 0;
    accept.disabled = isWrong || changes.size > 0;
  };
  const [change, accept] = open ? openActions(shop, offer, etag, changes, allow) : [undefined, orderLink(head.AuftNr)];
  const card = documentCard(shop, title, pairs, offer, quantityOf);
  // What changes the offer stands at what is changed, and what orders it alone at the end.
  if (open) card.querySelector(".sums").before(element("div", { className: "row start no-print" }, change));
  card.addEventListener("change", allow);
  return {
    title,
    parts: [
      shop.asked === offer.OffertNr && element("p", { className: "good no-print", role: "status", textContent: words().offer_made }),
      card,
      problemPlace(),
      element("div", { className: "row start no-print" }, accept, printButton()),
    ],
  };
}

const orderLink = (number) =>
  element("a", { className: "button main", href: `#order/${number}`, textContent: words().became(number) });

/** A field for the packages of a position; 0 removes it. */
function counter(one, changes) {
  const packs = one.VPEAnzBest ?? one.PosAnzBest;
  const factor = one.PosAnzBest / packs;
  const field = stepper(words().count_of(one.PosBez ?? one.ArtNr), packs, 0, (value) => changes.set(one.PosNr, exact(value * factor)));
  return [field, element("small", { textContent: one.VPEinheit ? packName(one.VPEinheit) : "" })];
}

/** The buttons: one that saves changes, one that orders. */
function openActions(shop, offer, etag, changes, allow) {
  const { GrundDaten: head, Adressen: places = {}, OffertNr } = offer;
  const told = (error) => (error.status === 412 ? words().changed_meanwhile : sentence(error));
  const change = async () => {
    const Positionen = [...changes].map(([PosNr, Menge]) => ({ PosNr, Menge }));
    await shop.client.changeOffer(OffertNr, { Positionen }, { ifMatch: etag });
    shop.asked = undefined;
    shop.go(`offer/${OffertNr}`, true);
  };
  const seen = [[words().total, money(head.AuftBrutto, head.WaehrAbk)], [words().delivered_to, addressLines(places.LiefAdr)]];
  const ask = () => confirmed(words().accept_title(OffertNr), orderText(), facts(seen));
  const accept = async () => {
    const { AuftNr } = await shop.client.convertOffer({ GrundDaten: { KundNr: shop.number, OffertNr } }, { ifMatch: etag });
    shop.placed = AuftNr;
    shop.go(`order/${AuftNr}`);
  };
  return [
    action("change-offer", words().change_offer, { work: change, allow, told, disabled: true }),
    action("accept-offer", words().accept_offer, { ask, work: accept, allow, told, className: "main" }),
  ];
}
