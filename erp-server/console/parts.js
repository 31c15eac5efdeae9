// The parts of a form: a control, a text in several languages, a list. `read(path)` of a part gives what it says now, and names its
// control as the server names it in a problem.

import { element, find } from "./dom.js";
import { button, field, input, run, select } from "./form.js";
import { language } from "./format.js";
import { words } from "./language.js";
import { closed, INSIDE, inLanguage, KEYS, label, memberOf, open, said, started, titleOf } from "./rows.js";
import { base64 } from "./save.js";
import { table } from "./table.js";

const NOTES = ["Kommentar", "AMDText"];
/** What texts are called by the kind they are of, and in which languages forms have them. */
const TEXT_OF = { Artikel: "ArtBez", Verpackungen: "VPBezeichnung" };
const TEXTS = ["ger", "fre", "ita", "eng"];
const BLOCKS = ["LiefAdr", "RechAdr", "ArtikelMedia"];

/** The members of an object that a form shows; the others stay as they are. */
export function members(value, parts, path) {
  const made = { ...value };
  for (const [name, part] of parts) {
    const read = part.read(`${path}.${name}`);
    if (read === undefined) delete made[name];
    else made[name] = read;
  }
  return made;
}

/** The parts of a form for these members of a kind. */
export const partsOf = (kind, names, schema, value, offered) => names.map((name) => [name, partOf(memberOf(kind, schema, name), value[name], offered)]);

export const nodesOf = (parts) => parts.map(([, part]) => part.node);

function partOf(member, value, offered) {
  if (member.name === "Logo") return picture(member, value);
  if (member.type === "array") return (INSIDE[member.name] ? list : translated)(member, value, offered);
  return (member.type === "object" ? group : one)(member, value, offered);
}

function one(member, value, offered) {
  const control = controlOf(member, value, offered);
  // What the control makes of the value: a line has no line ends, and texts have blanks at their ends.
  const untouched = control.value;
  const read = (path) => {
    control.name = path;
    return control.value === untouched ? value : typed(control.value, member.type);
  };
  return { node: field(member.title ?? label(member.name, member.kind), control, words()[`hint_${member.name}`]), read };
}

const isAmount = (type) => type === "number" || type === "integer";

/** What was written, as the type of its member. Text that is no number is sent as it is: the server says what is wrong with it. */
export function typed(text, type) {
  const plain = text.trim();
  if (plain === "") return undefined;
  if (type === "boolean") return plain === "true";
  const number = Number(plain.replace(",", "."));
  return isAmount(type) && Number.isFinite(number) ? number : plain;
}

function controlOf(member, value, offered) {
  const { name, type, schema, isRequired } = member;
  const choices = closed(member, offered);
  if (choices) {
    const isKnown = value === undefined || choices.some(([known]) => known === value);
    return select("", isKnown ? choices : [...choices, [value, said(name, value)]], value ?? "");
  }
  const text = value === undefined ? "" : String(value);
  const rest = { defaultValue: text, required: isRequired, ...(schema.maxLength ? { maxLength: schema.maxLength } : {}) };
  if (NOTES.includes(name) || /[\r\n]/.test(text)) return element("textarea", { rows: 3, ...rest });
  if (isAmount(type)) return input("", { ...rest, inputMode: "decimal", className: "amount" });
  const made = input("", { ...rest, type: { EmailAdress: "email", GueltigAb: "date", GueltigBis: "date" }[name] ?? "text" });
  made.stored = open(member, offered);
  if (made.stored) made.setAttribute("list", offered.listOf(name, made.stored));
  return made;
}

function group({ name, inner }, value = {}, offered) {
  const parts = partsOf(name, INSIDE[name], inner, value, offered);
  const node = element("fieldset", { className: "wide fields" }, element("legend", { textContent: label(name) }), nodesOf(parts));
  return { node, read: (path) => members(value, parts, path) };
}

/** A text in several languages: the company's is in sight, the others are folded. */
function translated({ name, kind, inner }, values = [], offered) {
  const text = TEXT_OF[kind] ?? "Text";
  const codes = new Set([offered.company.AdrSprache ?? "ger", ...TEXTS, ...values.map(({ AdrSprache }) => AdrSprache)]);
  const title = words()[`m_${name}`] ?? label(text, kind);
  const partIn = (code) => one({ ...memberOf(kind, inner, text), isRequired: false, title: `${title} (${language(code)})` }, values.find(({ AdrSprache }) => AdrSprache === code)?.[text], offered);
  const all = [...codes].map((code) => [code, partIn(code)]);
  const [first, ...others] = nodesOf(all);
  const node = element("div", { className: "wide stack" }, first, element("details", {}, element("summary", { className: "hint", textContent: words().other_languages }), element("div", { className: "fields" }, others)));
  const read = (path) => {
    // As the server sorts them.
    const filled = all.filter(([code, part]) => part.read(`${path}.${code}`) !== undefined).toSorted(([one], [other]) => (one < other ? -1 : 1));
    if (filled.length + values.length === 0) return all[0][1].read(path);
    return filled.map(([AdrSprache, part], at) => ({ AdrSprache, [text]: part.read(`${path}[${at}].${text}`) }));
  };
  return { node, read };
}

/** A list of things that are parts of a record. */
function list({ name, inner }, values = [], offered) {
  const { entries, frame, add } = several(name, inner, values, () => started(name, offered), offered);
  const node = element("fieldset", { className: "wide stack" }, element("legend", { textContent: label(name) }), frame, element("div", { className: "row" }, add));
  const read = (path) => {
    node.name = path;
    const left = entries.filter(({ isGone }) => !isGone);
    // A list that is emptied is sent: without it, an import leaves some lists of an article as they are.
    return left.length + values.length > 0 ? left.map(({ read }, at) => read(`${path}[${at}]`)) : undefined;
  };
  return { node, read };
}

/** Things of a kind that can be added and removed, and a button that adds one, which `begin` makes: lines of a table, or blocks. */
export function several(kind, schema, values, begin, offered) {
  const say = words();
  const names = INSIDE[kind];
  const entries = [];
  const { frame, put } = kind === "Steuer" || BLOCKS.includes(kind) ? blocks(kind, offered) : grid(kind, names, schema);
  const changed = () => frame.dispatchEvent(new Event("input", { bubbles: true }));
  const more = (value, isNew) => {
    const keys = isNew ? [] : (KEYS[kind] ?? []);
    const parts = partsOf(kind, names.filter((name) => !keys.includes(name)), schema, value, offered);
    const entry = { value, isNew, parts: Object.fromEntries(parts), isGone: false, read: (path) => members(value, parts, path) };
    entry.remove = button(say.remove, () => {
      entry.isGone = true;
      entry.node.remove();
      changed();
      add.focus();
    }, "small");
    entries.push(entry);
    entry.node = put(entry);
  };
  const add = button(say[`add_${kind}`] ?? say.add_line, () => run(frame.parentElement, async () => {
    const value = await begin();
    if (value === undefined) return;
    more(value, true);
    changed();
    const first = find("input, select, textarea", entries.at(-1).node);
    first?.focus();
    first?.select?.();
  }), "small");
  for (const value of values) more(value, false);
  return { entries, frame, add };
}

function grid(kind, names, schema) {
  const columns = names.map((name) => [label(name, kind), ({ parts, value }) => parts[name]?.node ?? said(name, value[name]), isAmount(memberOf(kind, schema, name).type) ? "amount" : ""]);
  const { frame, add } = table(label(kind), [...columns, [words().actions, ({ remove }) => remove]]);
  frame.className = "scroll inputs";
  // What is around it has the name already, and its controls take the focus.
  for (const name of ["role", "aria-label", "tabindex"]) frame.removeAttribute(name);
  return { frame, put: (entry) => (add([entry]), find("tbody", frame).lastElementChild) };
}

function blocks(kind, offered) {
  const frame = element("div", { className: "stack" });
  const put = ({ value, parts, remove, isNew }) => {
    const title = kind === "Steuer" ? [titleOf(kind, value), inLanguage(value.Texte, offered.company)].filter(Boolean).join(": ") : titleOf(kind, value) || label(kind);
    const nodes = [...(kind === "ArtikelMedia" ? thumbnail(value, offered) : []), ...nodesOf(Object.entries(parts))];
    // A tax code stays: old documents name it.
    const fields = element("div", { className: "fields" }, nodes, kind === "Steuer" && !isNew ? undefined : element("div", { className: "wide row" }, remove));
    if (kind === "Steuer") frame.append(element("details", { className: "card", open: isNew }, element("summary", { textContent: title }), fields));
    else frame.append(element("fieldset", {}, element("legend", { textContent: title }), fields));
    return frame.lastElementChild;
  };
  return { frame, put };
}

function thumbnail(line, { imageOf }) {
  if (!line.AMDBildFormat) return [];
  const image = element("img", { alt: line.AMDDateiName ?? "" });
  imageOf(line).then((url) => (image.src = url), () => image.remove());
  return [image];
}

/** A file of a picture, which is shown and can be taken away. */
function picture({ name }, value) {
  let kept = value;
  const shown = element("img", { className: "logo", alt: label(name) });
  const changed = () => node.dispatchEvent(new Event("input", { bubbles: true }));
  const remove = button(words().remove, () => {
    file.value = "";
    show(undefined);
    changed();
  }, "small");
  const show = (base64) => {
    kept = base64;
    shown.hidden = remove.hidden = kept === undefined;
    if (kept === undefined) return;
    URL.revokeObjectURL(shown.src);
    shown.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(kept), (letter) => letter.charCodeAt(0))]));
  };
  const file = element("input", { type: "file", accept: "image/png,image/jpeg" });
  file.addEventListener("change", async () => {
    if (file.files.length === 0) return;
    show(await base64(file.files[0]));
    changed();
  });
  const node = element("div", { className: "wide stack" }, field(label(name), file, words().logo_hint), element("div", { className: "row" }, shown, remove));
  show(kept);
  const read = (path) => {
    file.name = path;
    return kept;
  };
  return { node, read };
}
