// Editing a record: its lines of the export as forms. What is saved are lines of an import, which checks them first.

import { query } from "./api.js";
import { card, element, find, heading, link, paragraph } from "./dom.js";
import { button, confirmed, control, field, form, mark, run } from "./form.js";
import { words } from "./language.js";
import { isEdited, rowsOf } from "./rows.js";
import { table } from "./table.js";

const DIFFERENCES_SHOWN = 20;
const LETTERS_SHOWN = 200;

/** The members of an object that a form shows; the others stay as they are. */
function members(value, parts, path) {
  const made = { ...value };
  for (const [name, part] of parts) {
    const read = part.read(`${path}.${name}`);
    if (read === undefined) delete made[name];
    else made[name] = read;
  }
  return made;
}

/** The parts of a form for these members. `read(path)` names a control as the server names it in a problem. */
const partsOf = (specs, value) => specs.map((spec) => [spec.name, (MAKERS[spec.kind] ?? one)(spec, value[spec.name])]);

const nodesOf = (parts) => parts.map(([, part]) => part.node);

function one(spec, value) {
  const control = spec.control(value);
  // What the control makes of the value: a line has no line ends.
  const untouched = control.value;
  const read = (path) => {
    control.name = path;
    return spec.value(control, value, untouched);
  };
  return { node: field(spec.label, control, spec.hint), read };
}

function group(spec, value = {}) {
  const parts = partsOf(spec.specs, value);
  const node = element("fieldset", { className: "wide fields" }, element("legend", { textContent: spec.label }), nodesOf(parts));
  return { node, read: (path) => members(value, parts, path) };
}

/** A list that grows and shrinks: lines of a table, or blocks. */
function list(spec, values = []) {
  const say = words();
  const all = [];
  const removing = (entry) => button(say.remove, ({ target }) => {
    all.splice(all.indexOf(entry), 1);
    target.closest("tr, fieldset").remove();
  }, "small");
  const { frame, add } = spec.blocks ? blocks(spec) : grid(spec);
  const more = (value) => {
    const entry = { value, parts: partsOf(spec.specs, value) };
    entry.remove = removing(entry);
    all.push(entry);
    add([entry]);
  };
  values.forEach(more);
  const legend = element("legend", { textContent: spec.label });
  const node = element("fieldset", { className: "wide stack" }, legend, frame, element("div", { className: "row" }, button(spec.add ?? say.add_line, () => more({}), "small")));
  // A list that is emptied is sent: without it, an import leaves some lists of an article as they are.
  const isSent = () => all.length > 0 || values.length > 0;
  const read = (path) => {
    node.name = path;
    return isSent() ? all.map(({ value, parts }, at) => members(value, parts, `${path}[${at}]`)) : undefined;
  };
  return { node, read };
}

function grid({ label, specs }) {
  const columns = specs.map((spec, at) => [spec.label, ({ parts }) => nodesOf(parts)[at]]);
  const { frame, add } = table(label, [...columns, [words().actions, ({ remove }) => remove]]);
  frame.className = "scroll inputs";
  // The fieldset around it has the name already, and its controls take the focus.
  for (const name of ["role", "aria-label", "tabindex"]) frame.removeAttribute(name);
  return { frame, add };
}

function blocks({ label }) {
  const frame = element("div", { className: "stack" });
  const add = (entries) =>
    frame.append(...entries.map(({ parts, remove }) => element("fieldset", { className: "fields", "aria-label": label }, nodesOf(parts), element("div", { className: "wide row" }, remove))));
  return { frame, add };
}

/** A file of a picture, which is shown and can be taken away. */
function picture({ label, hint }, value) {
  let kept = value;
  const shown = element("img", { className: "logo", alt: label });
  const remove = button(words().remove, () => {
    file.value = "";
    show(undefined);
  }, "small");
  const show = (base64) => {
    kept = base64;
    shown.hidden = remove.hidden = kept === undefined;
    if (kept === undefined) return;
    URL.revokeObjectURL(shown.src);
    shown.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(kept), (letter) => letter.charCodeAt(0))]));
  };
  const file = element("input", { type: "file", accept: "image/png,image/jpeg" });
  file.addEventListener("change", () => {
    const reader = new FileReader();
    reader.addEventListener("load", () => show(reader.result.split(",")[1]));
    if (file.files.length > 0) reader.readAsDataURL(file.files[0]);
  });
  const node = element("div", { className: "wide stack" }, field(label, file, hint), element("div", { className: "row" }, shown, remove));
  show(kept);
  const read = (path) => {
    file.name = path;
    return kept;
  };
  return { node, read };
}

const MAKERS = { group, list, picture };

/** A line of the import as a card, folded where there are many of its kind. */
function section(kind, body, isNew) {
  const say = words();
  const { title, key, path, specs, removable, isFolded } = rowsOf(kind, body, isNew);
  const parts = partsOf(specs, body);
  const gone = element("input", { type: "checkbox" });
  const removing = removable && !isNew ? element("label", { className: "check wide" }, gone, say.remove) : undefined;
  const read = (path) => (gone.checked ? { ...body, Loeschen: true } : members(body, parts, path));
  const fields = element("div", { className: "fields" }, nodesOf(parts), removing);
  const node = isFolded ? element("details", { className: "card" }, element("summary", { textContent: title }), fields) : card(title, fields);
  return { kind, title, key, path, specs, node, isNew, body: isNew ? {} : body, read };
}

/** What tells a line from others: two of the same name are one record. Pictures and texts have no such name. */
function nameOf({ kind, key }, body) {
  if (key.length === 0) return undefined;
  return `${kind}: ${JSON.stringify(key.map(({ name }) => body[name]))}`;
}

/** Refuses a new line with the name of another one, which the import would replace. */
function refuseKnown(changed, lines, sections) {
  const names = new Set(sections.filter(({ isNew }) => !isNew).map((known) => nameOf(known, known.body)));
  changed.forEach((section, at) => {
    if (!section.isNew) return;
    const name = nameOf(section, lines[at][1]);
    if (name !== undefined && names.has(name)) throw existing(section, lines[at][1]);
    names.add(name);
  });
}

function existing({ key }, body) {
  const named = key.filter(({ name }) => body[name] !== undefined).map(({ name, label }) => `${label} ${body[name]}`);
  return new Error(words().exists(named.join(", ")));
}

/** What differs between two values, as `[place, before, after]`; the place in the words of the form. */
function differences(before, after, specs, place) {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const open = (value) => value !== null && typeof value === "object";
  if (!open(before) && !open(after)) return [[place, before, after]];
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const isList = Array.isArray(before ?? after);
  return [...names].flatMap((name) => {
    const spec = specs?.find((one) => one.name === name);
    const label = spec?.label ?? (name === "Loeschen" ? words().remove : name);
    const inner = isList ? `${place} ${Number(name) + 1}` : `${place}, ${label}`;
    return differences(before?.[name], after?.[name], isList ? specs : spec?.specs, inner);
  });
}

function listed(changes) {
  const say = words();
  const short = (text) => (text.length > LETTERS_SHOWN ? `${text.slice(0, LETTERS_SHOWN)}…` : text);
  const shown = (value) => (value === undefined ? "–" : short(String(value)));
  const line = ([place, before, after]) => element("li", {}, element("strong", { textContent: place }), ` ${shown(before)} → ${shown(after)}`);
  const more = changes.length - DIFFERENCES_SHOWN;
  return [
    element("ul", {}, changes.slice(0, DIFFERENCES_SHOWN).map(line)),
    more > 0 ? paragraph(say.more_records(more), "hint") : undefined,
  ];
}

export const linesOf = (text) => text.split("\n").filter(Boolean).map((line) => Object.entries(JSON.parse(line))[0]);

/** A link to a form, for those who may save it. */
export const editLink = (api, href, text) => (api.may("importMasterData") ? [link(href, text)] : []);

/** A link to a member in a form. */
export const memberLink = (href, path, text) => link(`${href}?${encodeURIComponent(path)}`, text);

/** Marks members that are `needed`, and goes to the one that the URL names after the `?`. */
function point(made, sections, needed) {
  // Reading names the controls.
  for (const { path, read } of sections) read(path);
  for (const path of needed) mark(made, { path, message: words().needed_for_invoices });
  const found = control(made, decodeURIComponent(location.hash.split("?")[1] ?? ""));
  (found?.type === "fieldset" ? find("input, button", found) : found)?.focus();
}

/**
 * A screen with the lines that `asked` exports, and with `blank` ones for a new record. `adds` are kinds of lines that can be
 * added, each with what makes its first content; `needed` are paths of members that are missing; `done(lines)` is where saving
 * leads.
 */
export async function edit({ place, api, signal, title, asked, blank = [], adds = [], needed = [], done }) {
  const say = words();
  const load = async () => (asked ? (await api.send(`/admin/export${query(asked)}`, { signal })).text() : "");
  const loaded = await load();
  const known = linesOf(loaded).filter(([kind]) => isEdited(kind));
  const sections = known.map(([kind, body]) => section(kind, body, false));
  sections.push(...blank.map(([kind, body]) => section(kind, body, true)));
  const shown = element("div", { className: "wide stack" }, sections.map(({ node }) => node));
  const add = async (kind, body) => {
    if (body === undefined) return;
    const added = section(kind, body, true);
    sections.push(added);
    shown.append(added.node);
    find("input, select, textarea", added.node)?.focus();
  };
  const adding = ([kind, begin]) => button(say[`add_${kind}`], () => run(made, async () => add(kind, await begin())), "small");
  const send = (lines, dry) =>
    api.json(`/admin/import${query({ dry_run: dry ? "true" : undefined })}`, {
      method: "POST",
      type: "application/x-ndjson",
      body: lines.map(([kind, body]) => JSON.stringify({ [kind]: body })).join("\n"),
    });
  const save = async () => {
    const changed = sections.filter(({ body, read }) => JSON.stringify(read("")) !== JSON.stringify(body));
    if (changed.length === 0) throw new Error(say.nothing_changed);
    const lines = changed.map(({ kind, read }, at) => [kind, read(`line ${at + 1}: ${kind}`)]);
    const tried = async () => {
      const { data } = await send(lines, true);
      // An import replaces a record that is there: a new one must be one that it adds.
      if (asked === undefined && data.added < lines.length) throw existing(changed[0], lines[0][1]);
    };
    await tried();
    refuseKnown(changed, lines, sections);
    const changes = changed.flatMap(({ title, specs, body }, at) => differences(body, lines[at][1], specs, title));
    if (!(await confirmed(say.sure_save, say.save, say.cancel, listed(changes)))) return;
    // Someone else may have changed the record since it was read, or made one of the same number.
    if ((await load()) !== loaded) throw new Error(say.changed_meanwhile);
    if (asked === undefined) await tried();
    await send(lines, false);
    location.hash = done(lines);
  };
  const made = form({ parts: [shown, element("div", { className: "wide actions" }, adds.map(adding))], submit: say.save, action: save, className: "stack" });
  place.append(heading(title, say.edit_about), made, element("p", {}, link(done(known), say.leave_unsaved)));
  point(made, sections, needed);
}
