// The rows of an import as forms: which members they show, in which words, with which choices. Types and limits are those that
// the interface describes.

import { query } from "./api.js";
import FORMS from "./forms.json" with { type: "json" };
import { language, money, number } from "./format.js";
import { words } from "./language.js";

/**
 * A table: the members of a form by its tabs, other members of a row stay as they are; the members of what is in a row, and of rows that
 * a form has several of; what tells a record, and the items of a list, from others of their kind; members that are named like
 * another one where their values are stored; and codes, of which some are no countries.
 */
export const { tabs: TABS, inside: INSIDE, keys: KEYS } = FORMS;
const { itemKeys: ITEM_KEYS, yesNo: YES_NO, storedAs: STORED, languages: LANGUAGES, currencies: CURRENCIES, neighbours: NEIGHBOURS, noCountries: NO_COUNTRIES } = FORMS;

/** A price that changes by more than this factor is asked about. */
const JUMP = 3;
/** The server names no more of what is stored. */
const MOST_STORED = 200;

export const linesOf = (text) => text.split("\n").filter(Boolean).map((line) => Object.entries(JSON.parse(line))[0]);

/** The company and its tax codes; both empty while there is none. */
export async function companyOf(api, signal) {
  const lines = linesOf(await (await api.send("/admin/export?company=true", { signal })).text());
  const all = (wanted) => lines.filter(([kind]) => kind === wanted).map(([, body]) => body);
  return { company: all("Firma")[0] ?? {}, taxes: all("Steuer") };
}

/** Imports rows, each with its kind; a `dry` run stores nothing. */
export const importRows = (api, rows, dry) =>
  api.json(`/admin/import${query({ dry_run: dry || undefined })}`, { method: "POST", type: "application/x-ndjson", body: rows.map((row) => JSON.stringify(row)).join("\n") });

/** What forms offer: what is stored, the company with its tax codes, and all countries. Rows are described once. */
let schemas;
export async function offers(api, signal) {
  const described = schemas ?? api.json("/openapi.json", { signal }).then(({ components }) => components.schemas);
  const [stored, company, known] = await Promise.all([api.get("/admin/choices", signal), companyOf(api, signal), described]);
  schemas = known;
  return { stored, ...company, countries: countries() };
}

/** A schema, or the one that it refers to, as in `{"anyOf": [{"$ref": …}, {"type": "null"}]}`. */
function followed(schema) {
  const one = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  return one.$ref ? schemas[one.$ref.split("/").at(-1)] : one;
}

export const schemaOf = (kind) => schemas[`Row${kind}`];

/** A member of a kind: its type and limits. `inner` is the schema of what is in it. */
export function memberOf(kind, { properties, required = [] }, name) {
  const schema = followed(properties[name]);
  return { name, kind, schema, type: [schema.type].flat()[0], inner: schema.items ? followed(schema.items) : schema, isRequired: required.includes(name) };
}

export const label = (name, kind) => words()[`m_${kind}_${name}`] ?? words()[`m_${name}`] ?? name;

/** All countries as `[code, name]`, the neighbours first. */
function countries() {
  const names = new Intl.DisplayNames(document.documentElement.lang, { type: "region" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((one) => letters.map((other) => one + other)).filter((code) => !NO_COUNTRIES.includes(code));
  // A code that was replaced is written as the new one.
  const known = codes.filter((code) => names.of(code) !== code && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`);
  const all = known.map((code) => [code, names.of(code)]).toSorted(([, one], [, other]) => one.localeCompare(other));
  return [...NEIGHBOURS.map((code) => [code, names.of(code)]), ...all.filter(([code]) => !NEIGHBOURS.includes(code))];
}

/** A text in the language of the company, or another one. */
export const inLanguage = (texts = [], { AdrSprache: own }) => (texts.find(({ AdrSprache }) => AdrSprache === own) ?? texts[0])?.Text ?? "";

const CLOSED = {
  WaehrAbk: () => CURRENCIES.map((code) => [code, code]),
  AdrSprache: () => LANGUAGES.map((code) => [code, language(code)]),
  OrtLand: (offered) => offered.countries,
  WUSTCode: ({ company, taxes }) => taxes.map(({ WUSTCode, Texte }) => [WUSTCode, [WUSTCode, inLanguage(Texte, company)].filter(Boolean).join(": ")]),
  KundBedTyp: ({ company }) => (company.Zahlungsbedingungen ?? []).map(({ KundBedTyp, Texte }) => [KundBedTyp, `${KundBedTyp}: ${inLanguage(Texte, company)}`]),
};
CLOSED.LiefKostWUSTCode = CLOSED.WUSTCode;

/** The choices of a member, as `[value, text]`, where no other value is possible. */
export function closed({ name, kind, type, isRequired }, offered) {
  const say = words();
  if (YES_NO.includes(name)) return (type === "boolean" ? [true, false] : ["J", "N"]).map((value) => [value, said(name, value)]);
  const stem = `v_${name}_`;
  const known = Object.keys(say).filter((key) => key.startsWith(stem));
  if (known.length > 0) return known.map((key) => [type === "integer" ? Number(key.slice(stem.length)) : key.slice(stem.length), say[key]]);
  const isKey = KEYS[kind]?.includes(name) || kind === "Zahlungsbedingungen";
  const all = isKey ? undefined : CLOSED[name]?.(offered);
  return all && !isRequired ? [["", "–"], ...all] : all;
}

/** The names that are stored of a member, which are offered beside new ones. */
export const open = ({ name, kind }, { stored }) =>
  name === "Zeitzone" ? Intl.supportedValuesOf("timeZone") : kind === "Verpackungen" ? undefined : stored[STORED[name] ?? name];

/** A value in the words of the forms. */
export function said(name, value) {
  const say = words();
  if (value === undefined || value === null || value === "") return "–";
  if (YES_NO.includes(name)) return value === true || value === "J" ? say.yes : say.no;
  if (name === "PreisList") return money(value);
  if (/IBAN$/.test(name)) return value.replace(/(.{4})(?=.)/g, "$1 ");
  if (name === "AdrSprache") return language(value);
  if (name === "SHA256" || name === "Logo") return say.other_picture;
  return say[`v_${name}_${value}`] ?? (typeof value === "number" ? number(value) : String(value));
}

/** What a record is called. */
export function titleOf(kind, body) {
  const say = words();
  if (kind === "ArtikelMedia") return `${body.AMDBildFormat ? say.picture : say.text} ${body.AMDDateiName ?? language(body.AdrSprache)}`;
  const names = kind === "Preisliste" ? ["PreisListe"] : (KEYS[kind] ?? []);
  return [say[`record_${kind}`], names.map((name) => body[name]).filter((part) => part !== undefined).join(", ")].filter(Boolean).join(" ");
}

const isOpen = (value) => value !== null && typeof value === "object";

/** A value in words: of an item or a record the members that its form shows. `what` is its kind, or the name of the member. */
function summary(what, value) {
  if (Array.isArray(value)) return value.map((item) => summary(what, item)).join(", ");
  if (!isOpen(value)) return said(what, value);
  const shown = (INSIDE[what] ?? Object.keys(value)).filter((name) => value[name] !== undefined);
  return shown.map((name) => part(name, value[name], what)).join(", ");
}

/** A member in words: numbers of things need its name. */
const part = (name, value, kind) => (typeof value === "number" && name !== "PreisList" ? `${label(name, kind)} ${said(name, value)}` : summary(name, value));

const keysOf = (item) => (isOpen(item) ? (ITEM_KEYS.find(([first]) => item[first] !== undefined) ?? []) : []);

/** What an item of a list is called, by what tells it from the others; `at` is where it stands. */
const itemOf = (item, kind, at) => keysOf(item).filter((key) => item[key] !== undefined).map((key) => part(key, item[key], kind)).join(", ") || `${at + 1}`;

/** The items of a list by what tells them apart. */
function byKey(items) {
  const all = new Map();
  for (const item of items ?? []) {
    const key = JSON.stringify(keysOf(item).map((name) => item[name]));
    all.set(key === "[]" || all.has(key) ? `${key}${all.size}` : key, item);
  }
  return all;
}

/** What differs between two values, as `[place, before, after]` in words; `what` is as in [`summary`], `place` where they are. */
export function differences(what, before, after, place = []) {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isList = Array.isArray(before ?? after);
  if (!isList && !(isOpen(before) && isOpen(after) && !after.Loeschen)) {
    const isGone = isOpen(before) && (after === undefined || after.Loeschen);
    const shown = (value) => summary(what, value) || titleOf(what, value);
    return [[place.join(", "), shown(before), isGone ? words().removed : shown(after)]];
  }
  const [old, now] = isList ? [byKey(before), byKey(after)] : [before, after].map((one) => new Map(Object.entries(one)));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name, at) => {
    const [one, other] = [old.get(name), now.get(name)];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    // The prices of a list and the stock of an article are in it, and texts are named by their language.
    const inner = isList ? itemOf(other ?? one, what, at) : ["Preis", "Bestand", "Texte"].includes(name) ? [] : label(name, what);
    return differences(isList ? what : name, one, other, [...place, inner].flat());
  });
}

/** What a new thing of a kind has. */
export function started(kind, { company, stored }) {
  const { WaehrAbk, AdrSprache, Preisart, OrtLand } = company;
  const address = { AdrSprache, OrtLand, AdrAnrede: 0 };
  const all = {
    Artikel: { ArtikelStatus: 1, AnLager: "N", WUSTCode: company.WUSTCode, Einheit: stored.Einheit.length === 1 ? stored.Einheit[0] : undefined },
    Firma: { WaehrAbk: "CHF", AdrSprache: "ger", OrtLand: "CH", Preisart: "N", RESTPreisliste: "STANDARD", Zeitzone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    Preis: { PreisListe: company.RESTPreisliste, WaehrAbk, AbAnzahl: 1, Preisart },
    Bestand: { StaoNr: company.StaoNr, Freigegeben: true },
    Kunde: { WaehrAbk, AdrSprache, KontaktAdr: address },
    LiefAdr: address,
    RechAdr: address,
    Steuer: { PosWUSTKlasse: { CH: "C", LI: "C", DE: "D" }[OrtLand] ?? "X", Saetze: [{}] },
    Zahlungsbedingungen: { Bezahlt: "N" },
  };
  return all[kind] ?? {};
}

/** Whether a VAT identifier may be right: it has the form of its country, in Switzerland also its check digit. */
export function isVatId(text) {
  const plain = text.replace(/[\s.-]/g, "").toUpperCase();
  const [, digits, check] = /^CHE(\d{8})(\d)(MWST|TVA|IVA)?$/.exec(plain) ?? [];
  if (digits) return (11 - ([5, 4, 3, 2, 7, 6, 5, 4].reduce((sum, weight, at) => sum + weight * digits[at], 0) % 11)) % 11 === Number(check);
  return /^(ATU\d{8}|DE\d{9}|(?!AT|CH|DE)[A-Z]{2}\w{2,13})$/.test(plain);
}

/** What to ask about before lines are saved: names that are new, prices that jump, VAT identifiers that look wrong. */
export function doubtsOf(lines, made, { company }) {
  const say = words();
  const isNew = ({ value, defaultValue, stored }) => stored?.length > 0 && stored.length < MOST_STORED && value !== defaultValue && value.trim() !== "" && !stored.includes(value.trim());
  const names = [...made.elements].filter((one) => isNew(one) && one.value.trim() !== company.RESTPreisliste).map((one) => say.new_name(one.labels[0].textContent, one.value.trim()));
  const perUnit = ({ PreisList, PosPreisBasis = 1 }) => PreisList / PosPreisBasis;
  const jumps = lines.filter(({ kind }) => kind === "Preisliste").flatMap(({ before, after }) => {
    const old = byKey(before.Preis);
    const far = [...byKey(after.Preis)].filter(([key, tier]) => old.has(key) && Math.abs(Math.log(perUnit(tier) / perUnit(old.get(key)))) > Math.log(JUMP));
    return far.map(([key, tier]) => say.price_jump(`${after.PreisListe}, ${itemOf(tier, "Preis")}`, said("PreisList", old.get(key).PreisList), said("PreisList", tier.PreisList)));
  });
  const ids = lines.filter(({ before, after }) => after.UStIdNr && after.UStIdNr !== before?.UStIdNr && !isVatId(after.UStIdNr));
  return [...new Set(names), ...jumps, ...ids.map(({ after }) => say.odd_vat_id(after.UStIdNr))];
}

/** A member in the words of its form, from the path in a problem of an invoice; nothing when no form has it. */
export function labelOf(path) {
  const [kind, ...between] = path.split(".");
  const name = between.pop();
  const members = [INSIDE[kind], ...Object.values(TABS[kind] ?? {})].filter(Boolean).flat();
  return members.includes(name) ? `${titleOf(kind, { WUSTCode: between.join(".") })}, ${label(name, kind)}` : undefined;
}

/** What the company lacks for every invoice: the paths in the server's refusal. */
export function lackingForInvoices(company) {
  const lacking = ["FirmaBez", "AdrAdresse1", "OrtPLZ", "OrtName"].filter((name) => !company[name]);
  if (!company.UStIdNr && !company.SteuerNummer) lacking.push("UStIdNr");
  if (company.ZahlFrist === undefined && !company.Zahlungsbedingungen) lacking.push("ZahlFrist");
  return lacking.map((name) => `Firma.${name}`);
}
