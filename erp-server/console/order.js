// One order: customer, positions, amounts, and its state from new to completed or canceled.

import { addresses, OF_ORDER, quantity } from "./address.js";
import { jsonBody, path } from "./api.js";
import { badge, card, element, find, heading, link, paragraph } from "./dom.js";
import { day, dayOrTime, money, number, time, unitPrice } from "./format.js";
import { button, confirmed, field, form, run } from "./form.js";
import { words } from "./language.js";
import { billLink, changesLink, customerNamed } from "./orders.js";
import { nameOf, save } from "./save.js";
import { facts, table } from "./table.js";

/** The states that follow each state. */
export const NEXT = { N: ["O", "A", "S"], O: ["A", "S"], A: [], S: [] };

/** The look of a state, and of the button that leads to it. */
const BADGE = { A: "good", S: "wrong" };
export const BUTTON = { S: "danger" };

export const status = (letter) => badge(words()[`status_${letter}`] ?? letter, BADGE[letter] ?? "");

/** Asks before orders are moved on, which nothing takes back. */
export const sure = (to, count = 1) => confirmed(words()[`sure_${to}`](count), words()[`move_${to}`], to === "S" ? words().keep_orders(count) : undefined);

/** A way of payment in words, `payment_method` of the interface. */
const payment = (letter) => words()[`payment_${letter}`] ?? letter;

/** The ways of payment of a customer: `K,R`. */
export const payments = ({ ZahlungsMethode: all }) => (all ?? "").split(",").filter(Boolean).map(payment).join(", ");

/** A kind of delivery in words, where it is one of those that have some. */
export const shipping = ({ VBTyp }) => words()[`shipping_${VBTyp}`] ?? VBTyp;

export function positions(order) {
  const say = words();
  const columns = [
    [say.position, (one) => number(one.VisPosNr ?? one.PosNr), "nr"],
    [say.article, (one) => (one.ArtNr ? link(`#articles/${encodeURIComponent(one.ArtNr)}`, one.ArtNr) : "")],
    [say.name, (one) => one.PosBez, "wide"],
    [say.count, (one) => quantity(one), "amount"],
    [say.price, (one) => unitPrice(one.PosPreisEinzel, one), "amount"],
    [say.discount, (one) => (one.GRabSatz ? `${number(one.GRabSatz)} %` : ""), "amount"],
    [say.tax, (one) => `${number(one.WUSTSatz)} %`, "amount"],
    [say.sum, (one) => money(one.PosPreisTotal), "amount"],
  ];
  return card(say.positions, table(say.positions, columns, order.Positionen).frame);
}

export function sums({ GrundDaten: head, MWSTRekapitulation: taxes }) {
  const say = words();
  const lines = [
    [say.net, money(head.AuftNetto)],
    ...(taxes ?? []).map((tax) => [`${tax.PosWUSTBez ?? say.tax} ${number(tax.PosWUSTSatz)} %`, money(tax.PosWUST)]),
    [say.delivery, head.AuftLiefKost ? money(head.AuftLiefKost) : ""],
    [say.total, money(head.AuftBrutto, head.WaehrAbk)],
  ];
  return card(say.totals, facts(lines, "sums"));
}

/** What is known of an order or an offer; `terms` are those of payment. */
export function about(title, state, { GrundDaten: head, Zahlung: paid }, customer, terms) {
  const say = words();
  return card(
    title,
    facts([
      [say.state, state],
      [say.customer, head.KundNr ? customerNamed({ KundNr: head.KundNr, Name: customer?.KundBez }) : say.template],
      [say.date, time(head.AuftBestellT)],
      [say.title_text, head.AuftBez],
      [say.their_number, head.AuftBestellNr],
      [say.reference, head.AuftBestellRef],
      [say.delivery_date, dayOrTime(head.AuftLieferT)],
      [say.shipping, customer && shipping(customer)],
      [say.terms, terms],
      [say.payments, customer && payments(customer)],
      ...(paid ?? []).map((one) => (one.Bezeichnung === "payment_method" ? [say.chosen_payment, payment(one.Wert)] : [one.Bezeichnung, one.Wert])),
      [say.location, head.StaoNr],
    ]),
  );
}

/** The payment condition as the invoice or the customer says it, or its number. */
const terms = ({ KundBedTyp }, customer, bill) => bill?.ZahlText ?? (customer?.KundBedTyp === KundBedTyp ? customer?.KundBedBez : undefined) ?? KundBedTyp;

/** The customer's comment on this order, and the comment on the customer. */
export function comments({ GrundDaten: head }, customer) {
  const say = words();
  const said = [[say.order_comment, head.AuftKomment], [say.customer_comment, customer?.Kommentar]].filter(([, text]) => text);
  return said.map(([title, text]) => card(title, paragraph(text, "note")));
}

/** What a path has, or nothing when it is not there. */
export const ifThere = (api, path, signal) => api.get(path, signal).catch((error) => (error.status === 404 ? undefined : Promise.reject(error)));

/**
 * What the office notes on an order. It is drawn once, so that no text is lost when the order moves; `onSaved(before, tag)` gets
 * the tags of the order. `follow` reads it again.
 */
async function officeNote(api, number, onSaved, signal) {
  const say = words();
  const own = path("admin", "auftrag", number, "note");
  const send = async (options) => {
    const { data, tag } = await api.tagged(own, options);
    return { tag, note: data.note ?? "" };
  };
  let known = await send({ signal });
  const text = element("textarea", { name: "note", value: known.note, maxLength: 1000, rows: 3 });
  const done = element("span", { className: "hint", role: "status" });
  const theirs = element("div");
  const mark = () => shown.toggleAttribute("data-edited", text.value !== known.note);
  const save = async (isAgain) => {
    done.textContent = "";
    theirs.replaceChildren();
    try {
      const saved = await send({ method: "PUT", ...jsonBody({ note: text.value }), match: known.tag });
      onSaved(known.tag, saved.tag);
      known = saved;
      mark();
      done.textContent = say.note_saved;
    } catch (error) {
      if (error.status !== 412) throw error;
      if (await follow()) throw new Error(say.note_changed);
      // The order has moved, its note is the same.
      if (isAgain) throw error;
      await save(true);
    }
  };
  /** Shows the note of someone else, beside a text that is not saved; returns whether there is one. */
  const follow = async () => {
    const before = known;
    known = await send({ signal });
    if (known.note === before.note) return false;
    if (text.value === before.note) text.value = known.note;
    else theirs.replaceChildren(paragraph(say.their_note, "hint"), paragraph(known.note || "–", "note"));
    mark();
    return true;
  };
  const parts = element("div", { className: "wide stack" }, element("h2", { textContent: say.office_note }), field(say.office_note_about, text), theirs, done);
  const shown = form({ parts, submit: say.save, action: () => save(false) });
  text.addEventListener("input", mark);
  return { shown, follow };
}

/** Runs an action and shows what is refused where the buttons are. */
export async function act(place, action, mend) {
  await run(place, action, mend);
  find(":scope > .failure", place)?.scrollIntoView({ block: "nearest" });
}

/** A card with buttons, `[text, action]`, and links before them. */
function actionCard(title, actions, links = []) {
  const shown = card(title);
  shown.append(element("div", { className: "actions" }, links, actions.map(([text, action]) => button(text, () => act(shown, action), "small"))));
  return shown;
}

/** Buttons that print the order. */
function papers(order, customer, api) {
  const say = words();
  const print = async (kind) => {
    const { paper, placesOf, printed } = await import("./paper.js");
    const more = { order: { sums: sums(order) }, picking: { places: kind === "picking" && (await placesOf(api, order)) } }[kind];
    printed([paper(api, order, kind, { Name: customer?.KundBez, ...more })]);
  };
  return actionCard(say.print, ["order", "picking", "delivery"].map((kind) => [say[`paper_${kind}`], () => print(kind)]));
}

/** The member that an invoice lacks, as a link to its field for those who may fill it in. Its name is loaded when it is needed. */
export const lacking = (api, customer) => (path) => {
  const shown = element("span", { textContent: path });
  const [edit, operation] = path.startsWith("Kunde.") ? [`#customers/${encodeURIComponent(customer)}/edit`, "importMasterData"] : ["#attributes/edit", "listCompanyAttributes"];
  const named = ({ labelOf }) => {
    const label = labelOf(path);
    if (label) shown.replaceChildren(api.may(operation) ? link(`${edit}?${encodeURIComponent(path)}`, label) : label);
  };
  import("./rows.js").then(named, () => undefined);
  return shown;
};

/** Whether an invoice is of a day that is still to come everywhere: it was made while a clock was wrong, and is not canceled. */
function isOfFuture({ RechDatum, GutschriftNr }) {
  // Where the day begins first, it is 14 hours later than UTC.
  const farthest = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  return !GutschriftNr && RechDatum > farthest;
}

/** Saves an invoice as a file. */
export async function saveBill(api, number, format) {
  const answer = await api.send(path("www", "rechnung", number), { accept: `application/${format}` });
  save(await answer.blob(), nameOf(answer, `rechnung-${number}.${format}`));
}

/** The invoice of an order and its credit note: their pages, and the files of the invoice. */
function invoice({ GrundDaten: head }, bill, api) {
  const say = words();
  const links = [billLink(bill.RechNr, say.invoice_title(bill.RechNr)), ...(head.GutschriftNr ? [billLink(head.GutschriftNr, say.credit_note_title(head.GutschriftNr))] : [])];
  const shown = actionCard(say.invoice, ["pdf", "xml"].map((format) => [format.toUpperCase(), () => saveBill(api, bill.RechNr, format)]), links);
  if (isOfFuture(bill)) shown.append(paragraph(say.invoice_of_future(bill.RechNr, day(bill.RechDatum)), "notice warn"));
  if (bill.Hinweis) shown.append(paragraph(bill.Hinweis, "notice warn"));
  return shown;
}

export async function showOrder(place, api, number, signal) {
  const say = words();
  const own = path("admin", "auftrag", number);
  let tag;
  let bill;
  const read = async (options = { signal }, from = path("www", "auftrag", number)) => {
    const answer = await api.tagged(from, options);
    ({ tag } = answer);
    const { RechNr } = answer.data.GrundDaten;
    if (RechNr !== bill?.RechNr) bill = await ifThere(api, path("www", "rechnung", RechNr), signal);
    return answer.data;
  };
  const order = await read();
  const customer = await ifThere(api, path("www", "kunden", order.GrundDaten.KundNr), signal);
  // What is shown is of the order as it was before this note.
  const noted = (before, after) => (tag = tag === before ? after : tag);
  const note = await officeNote(api, number, noted, signal);

  const draw = (order) => {
    const { AuftStatus: state, RechNr, KundNr } = order.GrundDaten;
    const mend = lacking(api, KundNr);
    const moves = NEXT[state].map((to, at) => button(say[`move_${to}`], () => act(place, () => onShown(state, () => move(to))), BUTTON[to] ?? (at === 0 ? "main" : "")));
    const canInvoice = !RechNr && state !== "S" && api.may("makeInvoice");
    const invoicing = button(say.make_invoice, () => act(place, () => onShown(state, invoiced), mend), state === "A" ? "main" : "");
    place.replaceChildren(
      heading(say.order_title(number), customer?.KundBez, ...moves, ...(canInvoice ? [invoicing] : [])),
      element("div", { className: "cards" }, about(say.order_facts, status(state), order, customer, terms(order.GrundDaten, customer, bill)), sums(order)),
      element("div", { className: "cards" }, comments(order, customer), note.shown),
      positions(order),
      addresses(order.Adressen, OF_ORDER),
      element("div", { className: "cards" }, bill ? invoice(order, bill, api) : undefined, papers(order, customer, api)),
      element("p", {}, link("#orders", say.back_to_orders), ...changesLink(api, `Auftrag ${number}`).flatMap((one) => [" · ", one])),
    );
  };
  const move = async (to) => {
    if (await sure(to)) draw(await read({ method: "PUT", ...jsonBody({ AuftStatus: to }), match: tag }, `${own}/status`));
  };
  const invoiced = async () => {
    if (!(await confirmed(say.sure_invoices(1), say.make_invoice))) return;
    const { data } = await api.json(`${own}/rechnung`, { method: "POST", match: tag });
    const made = await read();
    bill = { Hinweis: data.Hinweis, ...bill };
    draw(made);
  };
  /** Does something to the order as it is shown; where someone else was first, it is shown as it is now. */
  const onShown = async (shown, action) => {
    try {
      await action();
    } catch (error) {
      if (error.status !== 409 && error.status !== 412) throw error;
      const order = await read();
      draw(order);
      await note.follow();
      const now = order.GrundDaten.AuftStatus;
      // Refused for another reason, for example an invoice.
      throw error.status === 409 && now === shown ? error : new Error(say.order_changed(say[`status_${now}`]));
    }
  };
  draw(order);
}
