// The company: its data in cards, its attributes, and the settings the server runs with.

import { path, query } from "./api.js";
import { card, code, element, heading, paragraph } from "./dom.js";
import { button, confirmed, field, form, input, run } from "./form.js";
import { words } from "./language.js";
import { changesLink, edit, memberLink } from "./edit.js";
import { inLanguage, label, labelOf, lackingForInvoices, linesOf, said, TABS } from "./rows.js";
import { facts, table } from "./table.js";

const EDIT = "#attributes/edit";

/** One attribute: its name, a field for its contents, and buttons. */
function row(api, attribute, refresh, place, done) {
  const say = words();
  const name = attribute.PHKey;
  const own = path("admin", "attributes", name);
  const contents = input("Contents", { value: attribute.Contents, maxLength: 200, "aria-label": `${say.contents}: ${name}` });
  const save = async () => {
    await api.change("PUT", own, { Contents: contents.value });
    done.textContent = say.attribute_saved(name);
  };
  const remove = async () => {
    if (!(await confirmed(say.sure_remove_attribute(name), say.remove))) return;
    await api.change("DELETE", own);
    await refresh();
    done.textContent = say.attribute_removed(name);
  };
  const act = (action) => () => run(place, action);
  return { name, contents, actions: [button(say.save, act(save), "small"), button(say.remove, act(remove), "small danger")] };
}

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

const COMPANY = { company: "true" };

/** The company and its tax codes; both empty while there is none. */
async function company(api, signal) {
  const lines = linesOf(await (await api.send(`/admin/export${query(COMPANY)}`, { signal })).text());
  const all = (wanted) => lines.filter(([kind]) => kind === wanted).map(([, body]) => body);
  return { known: all("Firma")[0] ?? {}, taxes: all("Steuer") };
}

async function editCompany(place, api, signal) {
  const { known } = await company(api, signal);
  return edit({ place, api, signal, kind: "Firma", title: words().edit_company, asked: COMPANY, needed: lackingForInvoices(known), done: () => "#attributes" });
}

/** What the company lacks for invoices, each with a link to its field. */
function lacking(known) {
  const say = words();
  const paths = lackingForInvoices(known);
  if (paths.length === 0) return paragraph(say.invoices_ready, "good");
  const links = paths.flatMap((path, at) => [at > 0 ? ", " : " ", memberLink(EDIT, path, labelOf(path))]);
  return element("p", { className: "notice" }, say.invoices_need, links);
}

/** A part of the company's data, as a tab of its form has it, with a link there. */
function part(tab, known, ...more) {
  const say = words();
  const names = TABS.Firma[tab].split(" ");
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

/** The attributes, and a form that sets one. */
async function attributes(place, api, signal) {
  const say = words();
  const done = element("p", { className: "state", role: "status" });
  const list = element("div");
  const columns = [
    [say.name, (one) => code(one.name)],
    [say.contents, (one) => one.contents, "wide"],
    [say.actions, (one) => element("div", { className: "actions" }, one.actions)],
  ];
  const refresh = async () => {
    const all = await api.get("/admin/attributes", signal);
    const rows = all.map((one) => row(api, one, refresh, place, done));
    list.replaceChildren(rows.length > 0 ? table(say.m_attributes, columns, rows).frame : paragraph(say.no_attributes, "hint"));
  };
  const add = form({
    className: "fields",
    parts: [
      field(say.new_attribute, input("PHKey", { maxLength: 12, required: true }), say.attribute_hint),
      field(say.contents, input("Contents", { maxLength: 200 })),
    ],
    submit: say.set_attribute,
    action: async ({ PHKey, Contents }, sent) => {
      await api.change("PUT", path("admin", "attributes", PHKey), { Contents });
      sent.reset();
      await refresh();
      done.textContent = say.attribute_saved(PHKey);
    },
  });
  await refresh();
  return element("details", { className: "card" }, element("summary", { textContent: say.m_attributes }), element("div", { className: "stack" }, paragraph(say.attributes_about, "hint"), done, list, add));
}

export async function show({ place, api, parts: [verb], signal }) {
  if (verb === "edit") return editCompany(place, api, signal);
  const say = words();
  const { known, taxes } = await company(api, signal);
  const conditions = (known.Zahlungsbedingungen ?? []).map((one) => element("li", { textContent: `${one.KundBedTyp}: ${inLanguage(one.Texte, known)}` }));
  place.append(
    heading(say.nav_attributes, say.company_about, ...changesLink(api, "Firma")),
    lacking(known),
    element("div", { className: "cards" }, part("address", known), part("bank", known, element("h3", { textContent: say.m_Zahlungsbedingungen }), element("ul", {}, conditions)), part("taxes", known, taxTable(known, taxes))),
    element("h2", { textContent: say.advanced }),
    await attributes(place, api, signal),
    settingsTable(await api.get("/admin/settings", signal)),
  );
}
