// The company: its data in cards, its attributes, and the settings the server runs with.

import { card, code, element, heading, paragraph } from "./dom.js";
import { words } from "./language.js";
import { edit, memberLink } from "./edit.js";
import { changesLink } from "./orders.js";
import { companyOf, inLanguage, label, lackingForInvoices, said, TABS } from "./rows.js";
import { facts, table } from "./table.js";

const EDIT = "#attributes/edit";

function settingsTable(settings) {
  const say = words();
  const columns = [
    [say.setting, (one) => code(one.name), "wide"],
    [say.value, (one) => (one.value === one.default ? (one.value ?? "") : element("strong", { textContent: one.value ?? "" }))],
    [say.default, (one) => one.default],
    [say.unit, (one) => one.unit],
  ];
  const shown = element("details", { className: "card" }, element("summary", { textContent: say.settings }));
  shown.append(paragraph(say.settings_about, "hint"), table(say.settings, columns, settings).frame);
  return shown;
}

/** What the company lacks for invoices, each with a link to its field. */
function lacking(known) {
  const say = words();
  const paths = lackingForInvoices(known);
  if (paths.length === 0) return paragraph(say.invoices_ready, "good");
  const links = paths.flatMap((path, at) => [at > 0 ? ", " : " ", memberLink(EDIT, path, label(path.split(".")[1], "Firma"))]);
  return element("p", { className: "notice" }, say.invoices_need, links);
}

/** A part of the company's data, as a tab of its form has it, with a link there. */
function part(tab, known, ...more) {
  const say = words();
  const names = TABS.Firma[tab];
  const shown = names.filter((name) => known[name] !== undefined && typeof known[name] !== "object" && name !== "Logo");
  const change = memberLink(EDIT, `Firma.${names[0]}`, say.edit);
  change.ariaLabel = `${say.edit}: ${say[`tab_${tab}`]}`;
  return card(say[`tab_${tab}`], facts(shown.map((name) => [label(name, "Firma"), said(name, known[name])])), ...more, element("p", {}, change));
}

function taxTable(known, taxes) {
  const say = words();
  const today = new Date().toISOString().slice(0, 10);
  const now = ({ Saetze = [] }) => Saetze.find(({ GueltigAb, GueltigBis = today }) => GueltigAb <= today && today <= GueltigBis)?.WUSTSatz;
  const columns = [
    [say.m_WUSTCode, (one) => code(one.WUSTCode)],
    [say.text, (one) => inLanguage(one.Texte, known), "wide"],
    [say.m_WUSTSatz, (one) => said("WUSTSatz", now(one)), "amount"],
  ];
  return element("details", {}, element("summary", { textContent: say.tax_codes(taxes.length) }), table(say.tab_taxes, columns, taxes).frame);
}

export async function show({ place, api, parts: [verb], signal }) {
  const say = words();
  if (verb === "edit") return edit({ place, api, signal, kind: "Firma", title: say.edit_company, asked: { company: "true" }, done: () => "#attributes" });
  const { company: known, taxes } = await companyOf(api, signal);
  const conditions = (known.Zahlungsbedingungen ?? []).map((one) => element("li", { textContent: `${one.KundBedTyp}: ${inLanguage(one.Texte, known)}` }));
  place.append(
    heading(say.nav_attributes, say.company_about, ...changesLink(api, "Firma")),
    lacking(known),
    element("div", { className: "cards" }, part("address", known), part("bank", known, element("h3", { textContent: say.m_Zahlungsbedingungen }), element("ul", {}, conditions)), part("taxes", known, taxTable(known, taxes))),
    part("advanced", known, facts((known.attributes ?? []).map(({ PHKey, Contents }) => [PHKey, Contents]))),
    settingsTable(await api.get("/admin/settings", signal)),
  );
}
