// Invoices and credit notes: the list, and one of them.

import { address } from "./address.js";
import { path, query } from "./api.js";
import { ofCustomer } from "./customers.js";
import { badge, card, element, heading, link, paragraph } from "./dom.js";
import { day, money, number } from "./format.js";
import { button, confirmed, field, filter, input } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { act, ifThere, lacking, positions, saveBill } from "./order.js";
import { billLink, customerNamed, orderLink } from "./orders.js";
import { facts } from "./table.js";

const isCredit = ({ RechTyp }) => RechTyp === "381";

const kind = (bill) => (isCredit(bill) ? words().credit_note : words().invoice);

/** An amount as the books count it: that of a credit note is taken off. */
const counted = (bill, amount) => (isCredit(bill) ? -amount : amount);

/** What became of an invoice, or what a credit note cancels, with a link. */
function state(bill) {
  const say = words();
  const { GutschriftNr: canceling, RechZuNr: canceled } = bill;
  if (isCredit(bill)) return [badge(say.credit_note), " ", canceled && billLink(canceled, say.cancels(canceled))];
  return canceling ? [badge(say.canceled, "wrong"), " ", billLink(canceling, say.credit_note_title(canceling))] : say.invoice;
}

function columns() {
  const say = words();
  return [
    [say.number, (bill) => billLink(bill.RechNr), "", (bill) => bill.RechNr],
    [say.kind, state, "", kind],
    [say.date, (bill) => day(bill.RechDatum), "when", (bill) => bill.RechDatum],
    [say.customer, customerNamed, "wide", (bill) => bill.Name],
    [say.order, (bill) => orderLink(bill.AuftNr), "", (bill) => bill.AuftNr],
    [say.total, (bill) => money(counted(bill, bill.RechBrutto), bill.WaehrAbk), "amount", (bill) => counted(bill, bill.RechBrutto)],
    [say.due_on, (bill) => (isCredit(bill) ? "" : day(bill.FaelligAm)), "when", (bill) => bill.FaelligAm],
  ];
}

/** Seller, buyer or place of delivery. */
function party(title, { Name, NameZusatz, ...from }) {
  const say = words();
  const ids = [[say.m_UStIdNr, from.UStIdNr], [say.m_SteuerNummer, from.SteuerNummer], [say.m_RegisterNr, from.RegisterNr], [say.m_KontaktName, from.KontaktName]];
  return card(title, address({ ...from, AdrFirma: Name, AdrFirma2: NameZusatz }), facts(ids));
}

function about(bill) {
  const say = words();
  const paying = [
    [say.due_on, day(bill.FaelligAm)],
    [say.terms, bill.ZahlText],
    [say.payment_reference, bill.ZahlReferenz],
    ["IBAN", bill.IBAN?.replace(/.{4}(?=.)/g, "$& ")],
  ];
  const all = [
    [say.state, bill.GutschriftNr || bill.RechZuNr ? state(bill) : ""],
    [say.date, day(bill.RechDatum)],
    [say.customer, customerNamed({ KundNr: bill.KundNr, Name: bill.Kaeufer.Name })],
    [say.order, orderLink(bill.AuftNr)],
    [say.their_number, bill.AuftBestellNr],
    [say.delivery_date, day(bill.LieferDatum)],
    ...(isCredit(bill) ? [] : paying),
    [say.m_LeitwegID, bill.LeitwegID],
  ];
  return card(kind(bill), facts(all));
}

function sums(bill) {
  const say = words();
  const unlessZero = (amount) => (amount ? money(amount) : "");
  const lines = [
    [say.delivery, unlessZero(bill.LiefKostNetto)],
    [say.net, money(bill.RechNetto)],
    ...bill.Steuern.map((tax) => [say.tax_on(number(tax.WUSTSatz), money(tax.BetragNetto)), money(tax.BetragWUST)]),
    [say.total, money(bill.RechBrutto, bill.WaehrAbk)],
    [say.rounding, unlessZero(bill.Rundung)],
    [say.paid, unlessZero(-bill.RechBezahlt)],
    [isCredit(bill) ? say.credited : say.due, money(bill.RechZahlbar, bill.WaehrAbk)],
  ];
  const reasons = bill.Steuern.filter((tax) => tax.BefreiungsGrund).map((tax) => paragraph(tax.BefreiungsGrund, "hint"));
  return card(say.totals, facts(lines, "sums"), ...reasons);
}

/** The credit note that was made last, with what the server had to say of it. */
let made;

function showBill(place, api, bill) {
  const say = words();
  const refused = element("div");
  const files = ["pdf", "xml"].map((format) => button(format.toUpperCase(), () => act(refused, () => saveBill(api, bill.RechNr, format))));
  const cancel = async () => {
    if (!(await confirmed(say.sure_credit_note(bill.RechNr, bill.AuftNr), say.make_credit_note))) return;
    made = await api.change("POST", path("admin", "rechnung", bill.RechNr, "gutschrift"));
    location.hash = `#bills/${made.RechNr}`;
  };
  const canCancel = !isCredit(bill) && !bill.GutschriftNr && api.may("cancelInvoice");
  const notices = [bill.Hinweis, made?.RechNr === bill.RechNr && made.Hinweis].filter(Boolean);
  const title = isCredit(bill) ? say.credit_note_title(bill.RechNr) : say.invoice_title(bill.RechNr);
  const parties = [[say.seller, bill.Verkaeufer], [say.buyer, bill.Kaeufer], [say.delivered_to, bill.LiefAdr]].filter(([, one]) => one);
  place.append(
    heading(title, bill.Kaeufer.Name, ...files, ...(canCancel ? [button(say.make_credit_note, () => act(refused, cancel, lacking(api, bill.KundNr)), "danger")] : [])),
    refused,
    ...notices.map((text) => paragraph(text, "notice warn")),
    element("div", { className: "cards" }, about(bill), sums(bill)),
    positions({ Positionen: bill.Positionen.map((line) => ({ ...line, PosAnzBest: line.Anzahl })) }),
    element("div", { className: "cards" }, parties.map(([title, one]) => party(title, one))),
    element("p", {}, link("#bills", say.back_to(say.nav_bills))),
  );
}

/** What the list finds: the invoice of a number, or those of a customer, an order and some days. */
async function found(api, { number, ...asked }, signal) {
  if (!number) return api.json(`/admin/rechnung${query(asked)}`, { signal });
  const bill = await ifThere(api, path("www", "rechnung", number), signal);
  return { data: bill ? [{ ...bill, Name: bill.Kaeufer.Name }] : [] };
}

export async function show({ place, api, parts: [bill], signal }) {
  const say = words();
  if (bill !== undefined) return showBill(place, api, await api.get(path("www", "rechnung", bill), signal));
  const asked = filter(
    [
      field(say.invoice, input("number", { inputMode: "numeric", maxLength: 10 })),
      field(say.customer, input("customer", { maxLength: 80 }), say.customer_hint),
      field(say.order, input("AuftNr", { inputMode: "numeric", maxLength: 10 })),
      field(say.from, input("von", { type: "date" })),
      field(say.until, input("bis", { type: "date" })),
    ],
    say.search,
  );
  place.append(heading(say.nav_bills, say.bills_about));
  const more = [
    [say.due, (bill) => counted(bill, bill.RechZahlbar)],
    [say.currency, (bill) => bill.WaehrAbk],
    [say.customer_number, (bill) => bill.KundNr],
    [say.credit_note, (bill) => bill.GutschriftNr],
  ];
  const list = (debinr, values) => ({
    caption: say.nav_bills,
    columns: columns(),
    none: say.no_bills,
    file: { name: "invoices", more },
    load: (offset, limit) => found(api, { ...values, debinr, limit, offset }, signal),
  });
  return filteredList(place, asked, (values) => ofCustomer(api, "#bills", values, list, signal), signal);
}
