// What is done with many orders of a list at once: they are moved on, invoiced, or printed.

import { path } from "./api.js";
import { element, paragraph } from "./dom.js";
import { number } from "./format.js";
import { button, confirmed, input, resting, run, told } from "./form.js";
import { words } from "./language.js";
import { BUTTON, lacking, NEXT, status, sure } from "./order.js";
import { billLink, orderLink } from "./orders.js";

/** The most orders that are chosen at once: those of one request. */
const MOST = 1_000;

/** The orders that were refused, together where it is for the same reason, with a link to each field to mend. */
function refusals(refused, api) {
  const say = words();
  const reason = ({ error: { message, problems = [] }, order }) => JSON.stringify([message, problems, problems.some(({ path }) => path.startsWith("Kunde.")) && order.KundNr]);
  const each = [...Map.groupBy(refused, reason).values()].map((all) => {
    const [{ error, order }] = all;
    const problems = (error.problems ?? []).map(({ path, message }) => element("li", {}, lacking(api, order.KundNr)(path), path ? ": " : "", message));
    return element("li", {}, all.flatMap(({ order }) => [orderLink(order.AuftNr), " "]), told(error), element("ul", {}, problems));
  });
  return element("div", { className: "notice failure", role: "alert" }, paragraph(say.orders_refused(number(refused.length))), element("ul", { className: "stack" }, each));
}

/**
 * Boxes that choose orders, and what can be done with those that are chosen; what changes is drawn in their rows. `onDone` is
 * called after changes.
 */
export function bulk(api, onDone, signal) {
  const say = words();
  const rows = new Map();
  const result = element("div", { className: "stack", role: "status" });
  const all = input("", { type: "checkbox" });
  const said = element("span", { className: "hint", role: "status" });
  let isBusy = false;
  const moving = (to) => [say[`move_${to}`], (order) => NEXT[order.AuftStatus].includes(to), (orders) => move(orders, to), BUTTON[to]];
  const acts = [
    moving("O"),
    moving("A"),
    [say.make_invoices, (order) => order.AuftStatus === "A" && !order.RechNr && api.may("makeInvoice"), invoice],
    [say.print_picking, (order) => order.AuftStatus !== "S", print],
    moving("S"),
  ].map(([text, may, act, look = ""]) => ({ text, may, shown: button(text, () => run(result, () => act(chosen().filter(may))), look) }));
  const buttons = element("div", { className: "actions" }, acts.map(({ shown }) => shown));
  const bar = element("div", { className: "bulk actions" }, element("label", { className: "check" }, all, say.choose_all), said, buttons);

  const chosen = () => [...rows.values()].filter(({ box }) => box.checked).map(({ order }) => order);
  const count = () => {
    const orders = chosen();
    said.textContent = orders.length === 0 ? "" : say.orders_chosen(number(orders.length));
    buttons.hidden = orders.length === 0 || isBusy;
    for (const { text, may, shown } of acts) {
      const fitting = orders.filter(may).length;
      shown.hidden = fitting === 0;
      shown.textContent = fitting === orders.length ? text : `${text} (${number(fitting)})`;
    }
  };
  const choose = (most) => {
    for (const [at, { box }] of [...rows.values()].entries()) box.checked = at < most;
    count();
  };
  const chooseAll = (readOn) => resting(all, async () => all.checked && readOn(MOST)).finally(() => choose(all.checked ? MOST : 0));
  const row = (order) => {
    if (rows.has(order.AuftNr)) return rows.get(order.AuftNr);
    const box = input("", { type: "checkbox", ariaLabel: say.choose_order(order.AuftNr) });
    box.addEventListener("change", count);
    const made = { order, box, state: element("span"), bill: element("span") };
    rows.set(order.AuftNr, made);
    draw(made);
    return made;
  };
  const draw = ({ order, state, bill }) => {
    state.replaceChildren(status(order.AuftStatus));
    bill.replaceChildren(order.RechNr ? billLink(order.RechNr) : "");
  };

  /** Shows how it ended: what was done, and what was refused. Nothing stays chosen. */
  const done = (text, { refused, broken }, notes = []) => {
    result.replaceChildren(paragraph(text, "good"), ...notes.map((note) => paragraph(note, "notice warn")), ...(refused.length > 0 ? [refusals(refused, api)] : []));
    for (const one of rows.values()) draw(one);
    all.checked = false;
    choose(0);
    onDone();
    if (broken) throw broken;
  };

  async function move(orders, to) {
    if (!(await sure(to, orders.length))) return;
    const outcomes = await api.change("POST", "/admin/orders/status", { status: to, orders: orders.map(({ AuftNr }) => AuftNr) });
    const refused = outcomes.filter(({ outcome }) => outcome === "problem").map(({ AuftNr, message }) => ({ order: rows.get(AuftNr).order, error: new Error(message) }));
    for (const { AuftNr, outcome } of outcomes) if (outcome !== "problem") rows.get(AuftNr).order.AuftStatus = to;
    done(say.orders_moved(number(orders.length - refused.length)), { refused });
  }

  /** Does one order after the other until it is stopped; returns how many were done, what was refused, and what ended it early. */
  async function each(orders, act) {
    const line = paragraph("", "state");
    const bar = element("progress", { max: orders.length, value: 0, ariaLabel: say.progress });
    let isStopped = false;
    result.replaceChildren(line, bar, button(say.stop, () => (isStopped = true)));
    buttons.hidden = isBusy = true;
    const refused = [];
    let done = 0;
    let broken;
    for (const [at, order] of orders.entries()) {
      if (isStopped || signal.aborted || broken) break;
      line.textContent = say.progress_of(number(at + 1), number(orders.length));
      await act(order).then(() => (done += 1), (error) => {
        // Without a response, every other order would fail, too.
        if ([404, 409, 412, 422].includes(error.status)) refused.push({ order, error });
        else broken = error;
      });
      bar.value = at + 1;
    }
    isBusy = false;
    return { done, refused, broken };
  }

  async function invoice(orders) {
    if (!(await confirmed(say.sure_invoices(orders.length), say.make_invoices))) return;
    const notes = new Map();
    const oldestFirst = orders.toSorted((one, other) => one.AuftNr - other.AuftNr);
    const outcome = await each(oldestFirst, async (order) => {
      const { RechNr, Hinweis } = await api.change("POST", path("admin", "auftrag", order.AuftNr, "rechnung"));
      order.RechNr = RechNr;
      if (Hinweis) notes.set(Hinweis, [...(notes.get(Hinweis) ?? []), RechNr]);
    });
    done(say.invoices_made(number(outcome.done)), outcome, [...notes].map(([note, bills]) => `${say.invoice_title(bills.join(", "))}: ${note}`));
  }

  async function print(orders) {
    const { paper, placesOf, printed } = await import("./paper.js");
    const papers = [];
    const places = new Map();
    const outcome = await each(orders, async ({ AuftNr, Name }) => {
      const order = await api.get(path("www", "auftrag", AuftNr), signal);
      papers.push(paper(api, order, "picking", { Name, places: await placesOf(api, order, places) }));
    });
    printed(papers);
    done(say.papers_printed(number(papers.length)), outcome);
  }

  count();
  return {
    actions: (readOn) => {
      all.addEventListener("change", () => run(result, () => chooseAll(readOn)));
      return [bar, result];
    },
    box: (order) => row(order).box,
    state: (order) => row(order).state,
    bill: (order) => row(order).bill,
  };
}
