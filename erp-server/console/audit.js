// The audit trail: who changed which records, with old and new values, and how to put them back.

import { jsonBody, path, query } from "./api.js";
import { code, element, heading, link, news, paragraph } from "./dom.js";
import { number, time } from "./format.js";
import { button, confirmed, field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { listed } from "./edit.js";
import { filteredList } from "./list.js";
import { differences, linesOf } from "./rows.js";
import { facts } from "./table.js";

const AT_ONCE = 100;
/** Records that a sentence names, and of which values are shown at once; of more their kinds are counted. */
const AT_FIRST = 3;
const DAY = 86_400_000;

/** Screens of records that have one. */
const SCREENS = { Auftrag: "orders", Kunde: "customers", Artikel: "articles", Preis: "articles", Bestand: "articles", Benutzer: "users", Firma: "attributes" };
/** What an import can remove again where it was added. */
const REMOVABLE = ["Preisliste", "Bestand", "ArtikelMedia"];

/** The kind of a record like `Preis STANDARD A-1`, and what follows; its own number comes last. A price list may have blanks. */
function partsOf(record) {
  const [kind, ...rest] = record.split(" ");
  return kind === "Preis" ? [kind, rest.slice(0, -1).join(" "), rest.at(-1)] : [kind, rest.join(" ")];
}

/** A word with or without places. */
const filled = (word, ...values) => (typeof word === "function" ? word(...values) : word);

/** A record in words. */
function nameOf(record) {
  const [kind, ...rest] = partsOf(record);
  return filled(words()[`one_${kind}`] ?? record, ...rest);
}

function recordLink(record) {
  const [kind, ...rest] = partsOf(record);
  const own = rest.at(-1) && kind !== "Firma" ? `/${encodeURIComponent(rest.at(-1))}` : "";
  return SCREENS[kind] ? link(`#${SCREENS[kind]}${own}`, nameOf(record)) : nameOf(record);
}

/** Records in words: each of a few, of many how many of which kind. */
function inWords(records) {
  const say = words();
  if (records.length <= AT_FIRST) return records.flatMap((record, at) => [at > 0 ? ", " : "", recordLink(record)]);
  const kinds = Map.groupBy(records, (record) => partsOf(record)[0]);
  return [[...kinds].map(([kind, all]) => say[`many_${kind}`]?.(number(all.length)) ?? `${number(all.length)} ${kind}`).join(", ")];
}

/** What happened, as a sentence. */
function sentence({ user, operation, changed, removed }) {
  const say = words();
  const [name, customer] = (user ?? "").split(":");
  const who = { cli: say.command_line, "": say.someone }[name] ?? name;
  const key = operation.replace(/\{\w+\}/g, "").match(/\w+/g).join("_");
  const mark = "\u0001";
  const did = changed.length === 0 && key.endsWith("import") ? say.did_remove : (say[`did_${key}`] ?? say.did_other);
  const [before, after] = did( customer ? say.for_customer(who, customer) : who, mark).split(mark);
  if (after === undefined) return element("p", {}, before);
  const gone = changed.length * removed.length > 0 ? [", ", ...inWords(removed), ` (${say.removed})`] : inWords(removed);
  return element("p", {}, before, inWords(changed), gone, after);
}

/** What a record is now, as far as a difference names it; nothing where that is not known. */
async function now(api, { record, kind, before = {}, after = {} }) {
  const [own, ...rest] = partsOf(record);
  const number = rest.at(-1);
  const asked = { Kunde: { customer: number }, Firma: { company: "true" }, Steuer: { company: "true" } }[own] ?? { article: number };
  const lines = linesOf(await (await api.send(`/admin/export${query(asked)}`)).text()).filter(([one]) => one === kind).map(([, body]) => body);
  const isIt = { Preis: ({ PreisListe }) => PreisListe === rest[0], Steuer: ({ WUSTCode }) => WUSTCode === number }[own] ?? (() => true);
  const found = own === "Bestand" ? { Bestand: lines.map(({ ArtNr, ...line }) => line) } : (lines.find(isIt) ?? {});
  const names = Object.keys({ ...before, ...after });
  return Object.fromEntries(names.map((name) => [name, found[name]]));
}

/** Old and new values, each record with a button that puts it back, for who may. */
function values({ id, differences: all = [] }, api, onBack) {
  const say = words();
  const putBack = async (one) => {
    const { record, kind, before, after } = one;
    if (!(await confirmed(say.sure_restore(nameOf(record)), say.restore, say.cancel, listed(differences(kind, after, before))))) return undefined;
    try {
      await api.json(`${path("admin", "audit", id)}/restore`, { method: "POST", ...jsonBody({ record }) });
    } catch (error) {
      if (error.status !== 409) throw error;
      const later = await now(api, one).catch(() => undefined);
      const changes = later ? differences(kind, after, later).map(([place, , is]) => `${place}: ${is}`) : [];
      throw changes.length > 0 ? new Error(`${say.changed_since} ${changes.join("; ")}`) : error;
    }
    return onBack(nameOf(record));
  };
  const shown = all.map((one) => {
    const { record, kind, before, after } = one;
    const item = element("li", { className: "stack" });
    const name = all.length > 1 ? [nameOf(record)] : [];
    if (!before && !after) item.append(paragraph(`${name} ${say.not_kept}`, "hint"));
    else item.append(...listed(differences(kind, before, after, name)));
    const mayBack = api.may("restoreRecord") && (before || (after && REMOVABLE.includes(kind)));
    if (mayBack) item.append(button(say.restore, () => run(item, () => putBack(one)), "small"));
    return item;
  });
  if (shown.length === 0) return [];
  const list = element("ul", { className: "stack" }, shown);
  return shown.length <= AT_FIRST ? [list] : [element("details", {}, element("summary", { textContent: say.old_and_new }), list)];
}

function details({ operation, request_id: request, changed, removed }) {
  const say = words();
  const records = element("ul", {}, [...changed.map((one) => element("li", { textContent: one })), ...removed.map((one) => element("li", {}, element("del", { textContent: one })))]);
  const all = facts([[say.operation, code(operation)], [say.request, request && code(request)], [say.records, records]]);
  return element("details", {}, element("summary", { className: "hint", textContent: say.details }), all);
}

/** The start of a day of this place, or of a later one, as the server reads it. */
function start(date, days = 0) {
  if (!date) return "";
  const begun = new Date(`${date}T00:00`);
  // Some days have 23 or 25 hours.
  begun.setDate(begun.getDate() + days);
  return begun.toISOString();
}

export async function show({ place, api, parts: [about], signal }) {
  const say = words();
  // In Swedish a date is as its field writes it.
  const first = about === undefined ? new Date(Date.now() - DAY).toLocaleDateString("sv") : "";
  const asked = filter(
    [
      field(say.from, input("since", { type: "date", value: first })),
      field(say.until, input("until", { type: "date" })),
      field(say.user, input("user")),
      field(say.record, input("record", { value: about ?? "" }), say.record_hint),
    ],
    say.search,
  );
  const done = news();
  const onBack = (name) => {
    done.textContent = say.restored(name);
    asked.requestSubmit();
  };
  const columns = [
    [say.time, (entry) => time(entry.at), "when", undefined, (entry) => entry.at],
    [say.change, (entry) => element("div", { className: "stack" }, sentence(entry), values(entry, api, onBack), details(entry)), "wide"],
  ];
  const more = [
    [say.by, (entry) => entry.user],
    [say.operation, (entry) => entry.operation],
    [say.records, ({ changed, removed }) => [...changed, ...removed.map((text) => `${text} ${say.removed}`)].join(", ")],
    [say.request, (entry) => entry.request_id],
  ];
  place.append(heading(say.nav_audit, say.audit_about), done);
  await filteredList(place, asked, ({ since, until, user, record: wanted }) => ({
    caption: say.nav_audit,
    columns,
    none: say.no_changes,
    file: { name: "changes", more },
    load: (after) => {
      const all = { since: start(since), until: start(until, 1), user, record: wanted, newest: true, limit: AT_ONCE, after };
      return api.json(`/admin/audit${query(all)}`, { signal });
    },
  }), signal);
}
