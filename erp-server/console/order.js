// One order: customer, positions, amounts, and its state from new to completed or canceled.

import { address, quantity } from "./address.js";
import { jsonBody, path } from "./api.js";
import { badge, card, element, find, heading, link, paragraph } from "./dom.js";
import { day, dayOrTime, money, number, time, unitPrice } from "./format.js";
import { memberLink } from "./edit.js";
import { button, confirmed, field, run } from "./form.js";
import { words } from "./language.js";
import { labelOf } from "./rows.js";
import { save } from "./save.js";
import { facts, table } from "./table.js";

/** The states that follow each state. */
export const NEXT = { N: ["O", "A", "S"], O: ["A", "S"], A: [], S: [] };

/** The look of a state, and of the button that leads to it. */
const BADGE = { A: "good", S: "wrong" };
export const BUTTON = { O: "main", S: "danger" };

export const status = (letter) => badge(words()[`status_${letter}`] ?? letter, BADGE[letter] ?? "");

/** A way of payment in words, `payment_method` of the interface. */
const payment = (letter) => words()[`payment_${letter}`] ?? letter;

/** The ways of payment of a customer: `K,R`. */
export const payments = ({ ZahlungsMethode: all }) => (all ?? "").split(",").filter(Boolean).map(payment).join(", ");

function positions(order) {
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

function sums({ GrundDaten: head, MWSTRekapitulation: taxes }) {
  const say = words();
  const lines = [
    [say.net, money(head.AuftNetto)],
    ...(taxes ?? []).map((tax) => [`${tax.PosWUSTBez ?? say.tax} ${number(tax.PosWUSTSatz)} %`, money(tax.PosWUST)]),
    [say.delivery, head.AuftLiefKost ? money(head.AuftLiefKost) : ""],
    [say.total, money(head.AuftBrutto, head.WaehrAbk)],
  ];
  return card(say.totals, facts(lines, "sums"));
}

function about({ GrundDaten: head, Zahlung: paid }, customer) {
  const say = words();
  return card(
    say.order_facts,
    facts([
      [say.state, status(head.AuftStatus)],
      [say.customer, link(`#customers/${encodeURIComponent(head.KundNr)}`, head.KundNr)],
      [say.ordered, time(head.AuftBestellT)],
      [say.title_text, head.AuftBez],
      [say.their_number, head.AuftBestellNr],
      [say.reference, head.AuftBestellRef],
      [say.delivery_date, dayOrTime(head.AuftLieferT)],
      [say.shipping, customer?.VBTyp],
      [say.payment_terms, head.KundBedTyp],
      [say.payments, customer && payments(customer)],
      ...(paid ?? []).map((one) => (one.Bezeichnung === "payment_method" ? [say.chosen_payment, payment(one.Wert)] : [one.Bezeichnung, one.Wert])),
      [say.location, head.StaoNr],
    ]),
  );
}

/** The customer's comment on this order, and the comment on the customer. */
function comments({ GrundDaten: head }, customer) {
  const say = words();
  const said = [[say.order_comment, head.AuftKomment], [say.customer_comment, customer?.Kommentar]].filter(([, text]) => text);
  return said.map(([title, text]) => card(title, paragraph(text, "note")));
}

function addresses({ Adressen: all }) {
  const say = words();
  const kinds = [["KontaktAdr", say.contact], ["LiefAdr", say.delivered_to], ["RechAdr", say.billed_to]];
  const shown = kinds.filter(([kind]) => all?.[kind]).map(([kind, title]) =>
    element("div", {}, element("h3", { textContent: title }), address(all[kind])),
  );
  return card(say.addresses, element("div", { className: "facts" }, shown));
}

/** The customer of an order; nothing when there is none any more. */
async function customerOf(order, api, signal) {
  try {
    return await api.get(path("www", "kunden", order.GrundDaten.KundNr), signal);
  } catch (error) {
    if (error.status !== 404) throw error;
    return undefined;
  }
}

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
  const save = async () => {
    done.textContent = "";
    theirs.replaceChildren();
    try {
      const saved = await send({ method: "PUT", ...jsonBody({ note: text.value }), match: known.tag });
      onSaved(known.tag, saved.tag);
      known = saved;
      done.textContent = say.note_saved;
    } catch (error) {
      if (error.status !== 412) throw error;
      const before = known;
      const isNew = await follow();
      // The order has moved, its note is the same. With the same tag the server would refuse it for ever.
      if (!isNew && known.tag !== before.tag) return save();
      if (!isNew) throw error;
      throw new Error(say.note_changed);
    }
  };
  /** Shows the note of someone else, beside a text that is not saved; returns whether there is one. */
  const follow = async () => {
    const before = known;
    known = await send({ signal });
    if (known.note === before.note) return false;
    if (text.value === before.note) text.value = known.note;
    else theirs.replaceChildren(paragraph(say.their_note, "hint"), paragraph(known.note || "–", "note"));
    return true;
  };
  const shown = card(say.office_note, field(say.office_note_about, text), theirs, element("div", { className: "row" }, button(say.save, () => run(shown, save)), done));
  return { shown, follow };
}

/** A card with buttons, which shows what is refused beside them; `actions` are `[text, action]`. */
function actionCard(title, actions, mend) {
  const shown = card(title);
  const act = async (action) => {
    await run(shown, action, mend);
    find(":scope > .failure", shown)?.scrollIntoView({ block: "nearest" });
  };
  shown.append(element("div", { className: "actions" }, actions.map(([text, action]) => button(text, () => act(action), "small"))));
  return shown;
}

/** Buttons that print the order. */
function papers(order, api) {
  const say = words();
  const one = (kind) => [say[`paper_${kind}`], async () => (await import("./paper.js")).print(api, order, sums(order), kind)];
  return actionCard(say.print, ["order", "picking", "delivery"].map(one));
}

/** The member that an invoice lacks, as a link to its field for those who may fill it in. */
const lacking = (api, customer) => (path) => {
  const label = labelOf(path);
  if (label === undefined || !api.may("importMasterData")) return label ?? path;
  return memberLink(path.startsWith("Kunde.") ? `#customers/${encodeURIComponent(customer)}/edit` : "#attributes/edit", path, label);
};

/** The day of the order's invoice if it is in the future everywhere: it was made while a clock was wrong, and is not canceled. */
async function futureDay({ GrundDaten: { RechNr, GutschriftNr } }, api, signal) {
  if (!RechNr || GutschriftNr) return undefined;
  const { RechDatum } = await api.get(path("www", "rechnung", RechNr), signal);
  // Where the day begins first, it is 14 hours later than UTC.
  const farthest = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  return RechDatum > farthest ? RechDatum : undefined;
}

/** The invoice of an order: a button that makes it, then its number with its pages and its XML. */
function invoice({ GrundDaten: head }, future, api, make) {
  const say = words();
  const read = async (number, form) => {
    const answer = await api.send(path("www", "rechnung", number), { accept: `application/${form}` });
    save(await answer.blob(), `rechnung-${number}.${form}`);
  };
  const files = (number, title) => ["pdf", "xml"].map((form) => [`${title} (${form.toUpperCase()})`, () => read(number, form)]);
  const actions = [
    ...(head.RechNr ? files(head.RechNr, say.invoice_title(head.RechNr)) : []),
    ...(head.GutschriftNr ? files(head.GutschriftNr, say.credit_note_title(head.GutschriftNr)) : []),
    ...(!head.RechNr && head.AuftStatus !== "S" ? [[say.make_invoice, make]] : []),
  ];
  if (actions.length === 0) return [];
  const shown = actionCard(say.invoice, actions, lacking(api, head.KundNr));
  if (future) shown.append(paragraph(say.invoice_of_future(head.RechNr, day(future)), "notice warn"));
  return [shown];
}

export async function showOrder(place, api, number, signal) {
  const draw = (order) => {
    const say = words();
    const state = order.GrundDaten.AuftStatus;
    const moves = (NEXT[state] ?? []).map((to) =>
      button(say[`move_${to}`], () => run(place, () => move(state, to)), BUTTON[to] ?? ""),
    );
    place.replaceChildren(
      heading(say.order_title(number), "", ...moves),
      element("div", { className: "cards" }, about(order, customer), sums(order)),
      element("div", { className: "cards" }, comments(order, customer), note.shown),
      positions(order),
      addresses(order),
      ...invoice(order, future, api, () => onShown(state, invoiced)),
      papers(order, api),
      element("p", {}, link("#orders", say.back_to_orders), ...(api.may("listAudit") ? [" · ", link(`#audit/${encodeURIComponent(`Auftrag ${number}`)}`, say.its_changes)] : [])),
    );
  };
  const move = async (shown, to) => {
    const say = words();
    if (to === "A" && !(await confirmed(say.sure_complete(number), say.move_A))) return;
    if (to === "S" && !(await confirmed(say.sure_cancel(number), say.move_S, say.keep_order))) return;
    await onShown(shown, async () =>
      draw(await read({ method: "PUT", ...jsonBody({ AuftStatus: to }), match: tag }, path("admin", "auftrag", number, "status"))),
    );
  };
  const invoiced = async () => {
    const { data } = await api.json(path("admin", "auftrag", number, "rechnung"), { method: "POST", match: tag });
    draw(await read());
    if (data.Hinweis) place.prepend(paragraph(data.Hinweis, "notice"));
  };
  /** Does something to the order as it is shown; where someone else was first, it is shown as it is now. */
  const onShown = async (shown, act) => {
    try {
      await act();
    } catch (error) {
      if (error.status !== 409 && error.status !== 412) throw error;
      const order = await read();
      draw(order);
      await note.follow();
      const now = order.GrundDaten.AuftStatus;
      // Refused for another reason, for example an invoice.
      const isOther = error.status === 409 && now === shown;
      const told = isOther ? error : new Error(words().order_changed(words()[`status_${now}`]));
      await run(place, () => Promise.reject(told));
    }
  };
  let tag;
  let future;
  const read = async (options = { signal }, from = path("www", "auftrag", number)) => {
    const answer = await api.tagged(from, options);
    tag = answer.tag;
    future = await futureDay(answer.data, api, signal);
    return answer.data;
  };
  const noted = (before, after) => {
    // What is shown is of the order as it was before this note.
    if (tag === before) tag = after;
  };
  const order = await read();
  const customer = await customerOf(order, api, signal);
  const note = await officeNote(api, number, noted, signal);
  draw(order);
}
