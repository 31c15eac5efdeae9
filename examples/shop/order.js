// An order; after it was placed with thanks.

import { MAY_CANCEL } from "/shop/demo.js";
import { action, confirmed, documentCard, printButton, problemPlace } from "./document.js";
import { element, save, time } from "./dom.js";
import { words } from "./language.js";
import { againButton } from "./reorder.js";
import { sentence } from "./session.js";

/** Saves an invoice or a credit note as PDF. */
function invoiceButton(shop, title, number) {
  const onclick = async () => {
    try {
      save(await shop.client.invoiceFile(number, "application/pdf"), `rechnung-${number}.pdf`);
    } catch (error) {
      shop.say(sentence(error));
    }
  };
  return element("button", { type: "button", textContent: title(number), onclick });
}

/** For a new order, where the server lets shops cancel; it refuses those that somebody else has placed. */
function cancelButton(shop, { AuftNr, AuftStatus }) {
  if (!MAY_CANCEL || AuftStatus !== "N") return undefined;
  const means = element("p", { textContent: words().cancel_means });
  return action("cancel-order", words().cancel_order, {
    ask: () => confirmed(words().cancel_title(AuftNr), words().cancel_order, means),
    work: async () => {
      await shop.client.cancelOrder(AuftNr);
      shop.placed = undefined;
      shop.go(`order/${AuftNr}`, true);
      shop.say(words().canceled(AuftNr));
    },
    allow: (button) => (button.disabled = false),
    told: (error) => (error.status === 409 ? words().no_cancel : sentence(error)),
  });
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
  const actions = element("div", { className: "row start no-print" }, againButton(shop, order), ...invoices, printButton(), cancelButton(shop, head));
  return { title, parts: [shop.placed === head.AuftNr && thanks, documentCard(shop, title, pairs, order), problemPlace(), actions] };
}
