// An offer: its quantities can be changed, and it becomes an order when it is accepted.

import { stepper } from "./catalogue.js";
import { documentCard, printButton, quantity } from "./document.js";
import { element, find, time } from "./dom.js";
import { words } from "./language.js";
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
    const [change, accept] = actions;
    change.disabled = isWrong || changes.size === 0;
    accept.disabled = isWrong || changes.size > 0;
  };
  const actions = open ? openActions(shop, offer, etag, changes, allow) : [orderLink(head.AuftNr)];
  const card = documentCard(shop, title, pairs, offer, quantityOf);
  card.addEventListener("change", allow);
  return {
    title,
    parts: [
      shop.asked === offer.OffertNr && element("p", { className: "good no-print", role: "status", textContent: words().offer_made }),
      card,
      element("div", { id: "offer-problem", role: "alert" }),
      element("div", { className: "row start no-print" }, ...actions, printButton()),
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

function openActions(shop, offer, etag, changes, allow) {
  const change = async () => {
    const Positionen = [...changes].map(([PosNr, Menge]) => ({ PosNr, Menge }));
    await shop.client.changeOffer(offer.OffertNr, { Positionen }, { ifMatch: etag });
    shop.asked = undefined;
    shop.go(`offer/${offer.OffertNr}`, true);
  };
  const accept = async () => {
    const GrundDaten = { KundNr: shop.number, OffertNr: offer.OffertNr };
    const { AuftNr } = await shop.client.convertOffer({ GrundDaten }, { ifMatch: etag });
    shop.placed = AuftNr;
    shop.go(`order/${AuftNr}`);
  };
  return [
    action("change-offer", words().change_offer, change, allow, { disabled: true }),
    action("accept-offer", words().accept_offer, accept, allow, { className: "main" }),
  ];
}

/** A button that shows an error if its action fails, and `allow` says which buttons are enabled then. */
function action(id, text, work, allow, more) {
  const button = element("button", { id, type: "button", textContent: text, ...more });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      const told = error.status === 412 ? words().changed_meanwhile : sentence(error);
      find("#offer-problem")?.replaceChildren(element("p", { className: "problem", textContent: told }));
      allow();
    }
  });
  return button;
}
