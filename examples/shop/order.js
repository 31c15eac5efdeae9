// An order; after it was placed with thanks.

import { documentCard, printButton } from "./document.js";
import { element, save, time } from "./dom.js";
import { words } from "./language.js";
import { againButton } from "./reorder.js";
import { sentence } from "./session.js";

/** Saves an invoice or a credit note as PDF. */
function invoiceButton(shop, title, number) {
  const onclick = async () => {
    try {
      save(await shop.client.invoiceFile(number, "application/pdf"), `${number}.pdf`);
    } catch (error) {
      shop.say(sentence(error));
    }
  };
  return element("button", { type: "button", textContent: title(number), onclick });
}

export async function view(shop, number, signal) {
  const { data: order } = await shop.client.readOrder(number, { signal });
  const head = order.GrundDaten;
  const title = words().order_number(head.AuftNr);
  const text = words().thanks(head.AuftNr);
  const thanks = element("p", { className: "good no-print", role: "status", textContent: text });
  const pairs = [
    [words().order_time, time(head.AuftBestellTUTC)],
    [words().order_state, words().states[head.AuftStatus] ?? head.AuftStatus],
    // An order has no text of its payment condition, which usually is that of the customer.
    [words().terms, head.KundBedTyp === shop.customer.KundBedTyp ? shop.customer.KundBedBez : undefined],
  ];
  const invoices = [
    head.RechNr && invoiceButton(shop, words().invoice_pdf, head.RechNr),
    head.GutschriftNr && invoiceButton(shop, words().credit_note_pdf, head.GutschriftNr),
  ].filter(Boolean);
  const actions = element("div", { className: "row start no-print" }, againButton(shop, order), ...invoices, printButton());
  return { title, parts: [shop.placed === head.AuftNr && thanks, documentCard(shop, title, pairs, order), actions] };
}
