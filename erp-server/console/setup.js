// The first company, step by step: company, taxes, first article, user of the shop. What is done is read from the store, so a
// reload in the middle goes on where it was.

import { query } from "./api.js";
import { badge, card, element, find, link, paragraph } from "./dom.js";
import { form, field, input, secret, select } from "./form.js";
import { words } from "./language.js";
import { typed } from "./parts.js";
import { companyOf, importRows, linesOf } from "./rows.js";

const COUNTRIES = ["CH", "LI", "DE", "AT"];

/** What is stored of each step. */
async function stored(api, signal) {
  const [known, { count }, users] = await Promise.all([
    companyOf(api, signal),
    api.json("/www/artikel?limit=1&fields=ArtNr", { signal }),
    api.get("/admin/users", signal),
  ]);
  return { ...known, article: count > 0, shop: users.find(({ role }) => role === "shop") };
}

/** Imports rows; what is wrong is told at the field of the member. */
async function imported(api, rows) {
  try {
    await importRows(api, rows);
  } catch (error) {
    for (const problem of error.problems ?? []) problem.path = problem.path.replace(/^line \d+: \w+\./, "");
    throw error;
  }
}

const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

/** The form of each step: its parts, the word of its button, and what stores its values. */
const FORMS = {
  company: (api) => {
    const say = words();
    const { region } = new Intl.Locale(navigator.language);
    const names = new Intl.DisplayNames(document.documentElement.lang, { type: "region" });
    const parts = [
      field(say.first_country, select("OrtLand", COUNTRIES.map((code) => [code, names.of(code)]), COUNTRIES.includes(region) ? region : "CH")),
      field(say.name, input("FirmaBez", { maxLength: 255 })),
      field(say.m_AdrAdresse1, input("AdrAdresse1", { maxLength: 60 })),
      field(say.m_OrtPLZ, input("OrtPLZ", { maxLength: 10 })),
      field(say.town, input("OrtName", { maxLength: 48 })),
      field(say.m_UStIdNr, input("UStIdNr", { maxLength: 24 }), say.hint_UStIdNr),
      field("IBAN", input("IBAN"), say.iban_hint),
      field(say.first_invoice, input("RechNrAb", { inputMode: "numeric", value: `${new Date().getFullYear()}0001` }), say.first_invoice_hint),
    ];
    const store = async ({ RechNrAb, ...values }) => {
      const company = { FirmaBez: "", ...given({ ...values, RechNrAb: typed(RechNrAb, "integer") }) };
      // What a company of the country begins with.
      const rows = linesOf(await (await api.send(`/admin/company/start${query({ country: values.OrtLand })}`)).text());
      await imported(api, rows.map(([kind, row]) => ({ [kind]: kind === "Firma" ? { ...row, ...company } : row })));
    };
    return [parts, say.save, store];
  },
  article: (api, { company }) => {
    const say = words();
    const { RESTPreisliste: PreisListe, WaehrAbk, Preisart } = company;
    const price = `${say.price} (${WaehrAbk}, ${Preisart === "B" ? say.gross : say.net})`;
    const parts = [field(say.m_ArtNr, input("ArtNr", { maxLength: 15 })), field(say.name, input("ArtBez")), field(price, input("PreisList", { inputMode: "decimal" }))];
    const store = ({ ArtNr, ArtBez, PreisList }) => {
      const Artikel = { ...given({ ArtNr, ArtBez }), attributes: [{ PHKey: "RESTWEBSHOP", Contents: "*" }] };
      return imported(api, [{ Artikel }, { Preis: { PreisListe, WaehrAbk, Preisart, ...given({ ArtNr, PreisList: typed(PreisList, "number") }) } }]);
    };
    return [parts, say.save, store];
  },
  shop: (api) => {
    const say = words();
    const store = async ({ name }) => {
      const { password } = await api.change("POST", "/admin/users", { name, role: "shop", restwebshop: "SHOP1", password: null });
      return secret(say.new_password_of(name), password);
    };
    return [[field(say.user, input("name", { value: "shop1", maxLength: 80 }))], say.add_user, store];
  },
};

function steps(api, known, told, next) {
  const say = words();
  const all = [
    ["company", say.record_Firma, known.company.WaehrAbk, known.company.FirmaBez],
    ["taxes", say.taxes, known.taxes.length > 0, known.taxes.map(({ WUSTCode }) => WUSTCode).join(", ")],
    ["article", say.first_article, known.article],
    ["shop", say.shop_user, known.shop, known.shop?.name],
  ];
  const current = all.find(([, , done]) => !done);
  if (current === undefined && told === undefined) return [];
  const open = ([name]) => {
    // A company that was imported alone has none.
    if (name === "taxes") return link("#attributes/edit", say.edit);
    const [parts, submit, store] = FORMS[name](api, known);
    return form({ className: "fields", parts, submit, action: async (values) => next(await store(values)) });
  };
  const each = all.map((step, at) => {
    const [, title, done, about = ""] = step;
    const head = element("h3", {}, `${at + 1}. ${title} `, done ? badge(say.step_done, "good") : undefined);
    return element("li", { className: "stack" }, head, done && about ? paragraph(about, "hint") : undefined, step === current ? open(step) : undefined);
  });
  const more = [paragraph(say.setup_done, "good"), element("p", {}, link("#import", say.more_articles), " · ", link("#attributes", say.nav_attributes))];
  return [card(say.setup, paragraph(say.setup_about), element("ol", { className: "steps stack" }, each), told, ...(current ? [] : more))];
}

/** The card with the steps; empty once all are done. It belongs on the first screen as long as there is no order. */
export async function setupCard(api, signal) {
  const place = element("div");
  if (!api.may("readFirstCompany")) return place;
  const next = async (told) => {
    place.replaceChildren(...steps(api, await stored(api, signal), told, next));
    find("form input", place)?.focus();
  };
  place.append(...steps(api, await stored(api, signal), undefined, next));
  return place;
}
