// Editing a record: its lines of the export as a form in tabs. What is saved are lines of an import, which checks them first.

import { query } from "./api.js";
import { element, find, heading, link, paragraph, short } from "./dom.js";
import { confirmed, control, field, form, mark, reveal, select, tabs } from "./form.js";
import { words } from "./language.js";
import { members, nodesOf, partsOf, several } from "./parts.js";
import { differences, doubtsOf, importRows, KEYS, lackingForInvoices, linesOf, offers, schemaOf, started, TABS, titleOf } from "./rows.js";

const DIFFERENCES_SHOWN = 20;
const LETTERS_SHOWN = 200;

/*
 * A section has panels for tabs, and `lines()`: the lines of an import that it stands for, with what they were before and a
 * function that names their controls.
 */

/** A record of which there is one. */
function single(kind, body, isNew, offered) {
  const panels = Object.entries(TABS[kind]).map(([tab, names]) => {
    const shown = names.filter((name) => isNew || !KEYS[kind]?.includes(name));
    return [tab, partsOf(kind, shown, schemaOf(kind), body, offered)];
  });
  const parts = panels.flatMap(([, own]) => own);
  const name = (path) => members(body, parts, path);
  return {
    panels: panels.map(([tab, own]) => [tab, element("div", { className: "fields" }, nodesOf(own))]),
    lines: () => [{ kind, isNew, before: body, after: name(kind), name }],
  };
}

const panelOf = (...nodes) => element("div", { className: "stack" }, nodes.slice(0, -1), element("div", { className: "row" }, nodes.at(-1)));

/** Records that stand beside each other, each a line. `common` are members that all have. */
function records(kind, tab, bodies, common, begin, offered) {
  const { entries, frame, add } = several(kind, schemaOf(kind), bodies, begin, offered);
  const lineOf = ({ value, isNew, isGone, read }, shared) => {
    if (isGone) return { kind, before: value, after: { ...value, Loeschen: true }, name: () => undefined };
    const now = read([kind, value.WUSTCode].filter(Boolean).join("."));
    return { kind, isNew, before: isNew ? undefined : value, after: { ...now, ...shared }, name: read };
  };
  const lines = () => {
    const shared = common();
    return entries.filter(({ isNew, isGone }) => !(isNew && isGone)).map((entry) => lineOf(entry, shared));
  };
  return { panels: [[tab, panelOf(frame, add)]], lines };
}

/** The prices of all lists of an article in one table; each list is a line. */
function prices(bodies, common, offered) {
  const say = words();
  const tiers = bodies.flatMap(({ PreisListe, Preis = [] }) => Preis.map((tier) => ({ PreisListe, ...tier })));
  const lists = bodies.map(({ PreisListe }) => PreisListe);
  const shown = select("", [["", say.all], ...lists.map((name) => [name, name])]);
  const begin = () => ({ ...started("Preis", offered), ...(shown.value ? { PreisListe: shown.value } : {}) });
  const { entries, frame, add } = several("Preis", schemaOf("Preis"), tiers, begin, offered);
  const left = () => entries.filter(({ isGone }) => !isGone);
  shown.addEventListener("change", () => left().forEach(({ node, parts }) => (node.hidden = ![parts.PreisListe.read(""), ""].includes(shown.value))));
  const lineOf = (list, own) => {
    const { PreisListe, ...before } = bodies.find((body) => body.PreisListe === list) ?? { ...common(), Preis: [] };
    const name = (path) => {
      const tiers = own.map(({ read }, at) => ({ ...read(`${path}.Preis[${at}]`), PreisListe: undefined }));
      own[0]?.parts.PreisListe.read(`${path}.PreisListe`);
      return tiers;
    };
    return { kind: "Preisliste", before: { PreisListe: list, ...before }, after: { PreisListe: list, ...before, ...common(), Preis: name("Preisliste") }, name };
  };
  const lines = () => {
    const all = Map.groupBy(left(), ({ parts }) => parts.PreisListe.read(""));
    return [...new Set([...lists, ...all.keys()])].map((list) => lineOf(list, all.get(list) ?? []));
  };
  const filter = lists.length > 1 ? element("div", { className: "narrow" }, field(say.shown_list, shown)) : undefined;
  return { panels: [["prices", panelOf(filter, frame, add)]], lines };
}

/** Refuses a new line with the name of another one, which the import would replace. */
function refuseKnown(lines) {
  const names = new Set();
  // Those that are there come first.
  for (const line of [...lines.filter(({ isNew }) => !isNew), ...lines.filter(({ isNew }) => isNew)]) {
    const name = KEYS[line.kind] && JSON.stringify([line.kind, ...KEYS[line.kind].map((key) => line.after[key])]);
    if (names.has(name)) throw existing(line);
    if (name && !line.after.Loeschen) names.add(name);
  }
}

const existing = ({ kind, after }) => new Error(words().exists(titleOf(kind, after)));

export function listed(changes) {
  const say = words();
  const line = ([place, before, after]) => element("li", {}, place ? element("strong", { textContent: `${place}: ` }) : "", `${short(before, LETTERS_SHOWN)} → ${short(after, LETTERS_SHOWN)}`);
  const more = changes.length - DIFFERENCES_SHOWN;
  return [element("ul", {}, changes.slice(0, DIFFERENCES_SHOWN).map(line)), ...(more > 0 ? [paragraph(say.more_records(more), "hint")] : [])];
}

/** A link to a form, for those who may save it. */
export const editLink = (api, href, text) => (api.may("importMasterData") ? [link(href, text)] : []);

/** A link to a member in a form. */
export const memberLink = (href, path, text) => link(`${href}?${encodeURIComponent(path)}`, text);

/** Marks members that are `needed`, and goes to the one that the URL names after the `?`. */
function point(made, needed) {
  for (const path of needed) mark(made, { path, message: words().needed_for_invoices });
  const found = control(made, decodeURIComponent(location.hash.split("?")[1] ?? ""));
  reveal(found);
  (found?.type === "fieldset" ? find("input, button", found) : found)?.focus();
}

/** Shows on the next screen what the import says of saved lines. */
function tellSaved({ warnings = [], missing = [] }) {
  const all = [...warnings.map(({ message }) => message), ...missing];
  const note = element("div", { className: all.length > 0 ? "notice warn" : "good", role: "status" }, paragraph(words().saved), all.length > 0 ? element("ul", {}, all.map((text) => element("li", { textContent: text }))) : undefined);
  window.addEventListener("hashchange", () => find(".screen").prepend(note), { once: true });
}

/**
 * A screen with the record of a kind that `asked` exports, or a new one. `begin` makes the first content of added lines of a kind,
 * `imageOf(line)` the URL of a picture; `done(line)` is where saving leads.
 */
export async function edit({ place, api, signal, title, kind, asked, begin = {}, imageOf, done }) {
  const say = words();
  const load = async () => (asked ? (await api.send(`/admin/export${query(asked)}`, { signal })).text() : "");
  const [loaded, offered] = await Promise.all([load(), offers(api, signal)]);
  const choices = element("div", { hidden: true });
  const lists = new Map();
  offered.imageOf = imageOf;
  offered.listOf = (name, stored) => {
    if (!lists.has(name)) {
      lists.set(name, `stored-${name}`);
      choices.append(element("datalist", { id: lists.get(name) }, stored.map((value) => element("option", { value }))));
    }
    return lists.get(name);
  };
  const known = linesOf(loaded);
  const own = (wanted) => known.filter(([one]) => one === wanted).map(([, body]) => body);
  const [body] = own(kind);
  const main = single(kind, body ?? started(kind, offered), body === undefined, offered);
  const article = () => ({ ArtNr: main.lines()[0].after.ArtNr });
  const recordsOf = (one, tab, common = () => ({})) => records(one, tab, own(one), common, begin[one] ?? (() => started(one, offered)), offered);
  const beside = {
    Artikel: () => [prices(own("Preisliste"), article, offered), recordsOf("Bestand", "stock", article), recordsOf("ArtikelMedia", "media", article)],
    Firma: () => [recordsOf("Steuer", "taxes")],
  };
  const sections = [main, ...(beside[kind]?.() ?? [])];
  const lines = () => sections.flatMap((section) => section.lines()).map((line) => ({ ...line, differences: differences(line.kind, line.before, line.after, [titleOf(line.kind, line.after)]) }));
  const send = (changed, dry) => importRows(api, changed.map(({ kind: one, after }) => ({ [one]: after })), dry);
  const save = async () => {
    const all = lines();
    const changed = all.filter((line) => line.differences.length > 0);
    if (changed.length === 0) throw new Error(say.nothing_changed);
    changed.forEach(({ kind: one, name }, at) => name(`line ${at + 1}: ${one}`));
    const tried = async () => {
      const { data } = await send(changed, true);
      // An import replaces a record that is there: a new one must be one that it adds.
      if (!asked && data.added < changed.length) throw existing(changed[0]);
    };
    await tried();
    refuseKnown(all);
    const doubts = doubtsOf(changed, made, offered).map((text) => paragraph(text, "notice warn"));
    const changes = listed(changed.flatMap((line) => line.differences));
    if (!(await confirmed(say.sure_save, say.save, say.cancel, [element("div", { className: "stack" }, doubts, changes)]))) return;
    // Someone else may have changed the record since it was read, or made one of the same number.
    if ((await load()) !== loaded) throw new Error(say.changed_meanwhile);
    if (!asked) await tried();
    const { data } = await send(changed, false);
    delete made.dataset.edited;
    tellSaved(data);
    location.hash = done(main.lines()[0].after);
  };
  const count = element("p", { role: "status" });
  const back = link(done(body));
  const follow = () => {
    const changes = lines().reduce((sum, line) => sum + line.differences.length, 0);
    count.textContent = changes > 0 ? say.change_count(changes) : say.nothing_changed_yet;
    back.textContent = changes > 0 ? say.discard : say.back;
    if (changes > 0) made.dataset.edited = changes;
    else delete made.dataset.edited;
  };
  const panels = Map.groupBy(sections.flatMap((section) => section.panels), ([tab]) => tab);
  const shown = tabs(title, [...panels].map(([tab, all]) => [say[`tab_${tab}`], element("div", { className: "card" }, all.map(([, node]) => node))]));
  const made = form({ parts: [element("div", { className: "wide stack" }, shown, choices)], submit: say.save, action: save, bar: [count, back], className: "stack" });
  made.addEventListener("input", follow);
  follow();
  place.append(heading(title, say.edit_about), made);
  point(made, kind === "Firma" ? lackingForInvoices(body ?? {}) : []);
}
