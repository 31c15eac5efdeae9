// The members of the lines of an import that the console edits.

import { element } from "./dom.js";
import { input, select } from "./form.js";
import { words } from "./language.js";

/** Written text. One that was not touched stays as it is, with its blanks and line ends, which a control may not keep. */
function written(name, label, control) {
  return {
    name,
    label,
    control: (value = "") => control(value),
    value: ({ value }, before, untouched) => (value === untouched ? before : value.trim() || undefined),
  };
}

const area = (name, value, rows) => element("textarea", { name, rows, defaultValue: value });
const note = (name, label) => written(name, label, (value) => area(name, value, 3));

/** A text of one line. A stored one of several lines keeps them when it is edited. */
const text = (name, label, properties = {}) =>
  written(name, label, (value) => (/[\r\n]/.test(value) ? area(name, value, 2) : input(name, { defaultValue: value, ...properties })));

/** Text that is no number is sent as it is: the server says what is wrong with it. */
function numeric(typed) {
  const plain = typed.trim().replace(",", ".");
  if (plain === "") return undefined;
  return Number.isNaN(Number(plain)) ? typed : Number(plain);
}

const number = (name, label) => ({
  name,
  label,
  control: (value = "") => input(name, { value: String(value), inputMode: "decimal", className: "amount" }),
  value: ({ value }) => numeric(value),
});

/** One of `[value, text]`; another value that is stored stays. */
const choice = (name, label, options) => {
  let all = options;
  return {
    name,
    label,
    control: (value = options[0][0]) => {
      if (!options.some(([known]) => known === value)) all = [...options, [value, String(value)]];
      return select(name, all.map(([each, said]) => [String(each), said]), String(value));
    },
    value: ({ value }) => all.find(([known]) => String(known) === value)[0] ?? undefined,
  };
};

const list = (name, label, specs, more = {}) => ({ kind: "list", name, label, specs, ...more });
const group = (name, label, specs) => ({ kind: "group", name, label, specs });

/** A picture in Base64. */
const picture = (name, label, hint) => ({ kind: "picture", name, label, hint });

/** A text and its language. */
const translated = (name) => [text("AdrSprache", words().language_code, { maxLength: 3 }), text(name, words().text)];

/** The same text in several languages. */
const texts = (name) => list("Texte", words().texts, translated(name));

const attributes = () => list("attributes", words().attributes, [text("PHKey", words().name, { maxLength: 12 }), text("Contents", words().contents)]);

function priceTier() {
  const say = words();
  return [
    text("VPEinheit", say.pack),
    text("WaehrAbk", say.currency, { maxLength: 3 }),
    number("AbAnzahl", say.from_count),
    number("BisAnzahl", say.to_count),
    number("PreisList", say.price),
    number("PosPreisBasis", say.price_basis),
    choice("Preisart", say.price_kind, [["N", say.net], ["B", say.gross]]),
  ];
}

function paymentCondition() {
  const say = words();
  return [
    number("KundBedTyp", say.position),
    texts("Text"),
    number("ZahlFrist", say.days_until_due),
    choice("Bezahlt", say.paid_already, [["N", say.no], ["J", say.yes]]),
  ];
}

function address() {
  const say = words();
  return [
    text("AdrFirma", say.firm),
    text("AdrFirma2", say.firm_2),
    choice("AdrAnrede", say.salutation, [[0, "–"], [1, say.salutation_1], [2, say.salutation_2]]),
    text("AdrVorname", say.first_name),
    text("AdrName", say.last_name),
    text("AdrAdresse1", say.street),
    text("AdrAdresse2", say.street_2),
    text("OrtLand", say.country, { maxLength: 2 }),
    text("OrtPLZ", say.postal_code),
    text("OrtName", say.town),
    text("EmailAdress", say.email, { type: "email" }),
    text("AdrTf1", say.phone),
    text("AdrTelex", say.mobile),
    text("AdrSprache", say.language_code, { maxLength: 3 }),
  ];
}

const FORMS = {
  Artikel: () => {
    const say = words();
    return {
      title: say.article_facts,
      key: [text("ArtNr", say.article, { maxLength: 15 })],
      specs: [
        choice("ArtikelStatus", say.state, [[1, say.active], [0, say.inactive]]),
        choice("AnLager", say.stock_managed, [["N", say.no], ["J", say.yes]]),
        text("ArtGruppe", say.group),
        text("ArtKlasse", say.kind),
        text("Einheit", say.unit),
        text("WUSTCode", say.tax_code),
        number("ArtGewicht", say.weight),
        number("PosPreisBasis", say.price_basis),
        texts("ArtBez"),
        attributes(),
      ],
    };
  },
  Preisliste: ({ PreisListe }, isNew) => {
    const say = words();
    return {
      title: isNew ? say.add_Preisliste : `${say.price_list} ${PreisListe}`,
      key: [text("PreisListe", say.price_list)],
      specs: [list("Preis", say.prices, priceTier())],
    };
  },
  Bestand: ({ LagerOrt, StaoNr, VPEinheit }, isNew) => {
    const say = words();
    return {
      title: isNew ? say.add_Bestand : [`${say.stock} ${LagerOrt}`, StaoNr, VPEinheit].filter(Boolean).join(", "),
      key: [text("LagerOrt", say.place), number("StaoNr", say.location), text("VPEinheit", say.pack)],
      specs: [number("LagerBestand", say.stock_counted), choice("Freigegeben", say.released, [[true, say.yes], [false, say.no]])],
      removable: true,
    };
  },
  ArtikelMedia: ({ AMDDateiName, AMDBildFormat, IDKey }) => {
    const say = words();
    return {
      title: `${AMDBildFormat ? say.picture : say.text} ${AMDDateiName ?? IDKey ?? ""}`,
      specs: [text("AMDVerwendung", say.usage), note("AMDText", say.text), note("Kommentar", say.comment)],
      removable: true,
    };
  },
  Kunde: () => {
    const say = words();
    return {
      title: say.customer_facts,
      key: [text("KundNr", say.customer, { inputMode: "numeric", maxLength: 8 })],
      specs: [
        text("KundBez", say.name),
        text("WaehrAbk", say.currency, { maxLength: 3 }),
        text("AdrSprache", say.language_code, { maxLength: 3 }),
        text("PreisListe", say.price_list),
        number("KundBedTyp", say.payment_terms),
        text("ZahlungsMethode", say.payments),
        number("KreditLimit", say.credit_limit),
        text("VBTyp", say.shipping),
        text("BrancheID", say.trade),
        text("SteuerNummer", say.tax_number),
        text("UStIdNr", say.vat_id),
        text("LeitwegID", say.leitweg_id),
        note("Kommentar", say.comment),
        group("KontaktAdr", say.contact, address()),
        list("LiefAdr", say.delivered_to, address(), { blocks: true, add: say.add_address }),
        list("RechAdr", say.billed_to, address(), { blocks: true, add: say.add_address }),
        attributes(),
      ],
    };
  },
  Firma: () => {
    const say = words();
    return {
      title: say.company,
      specs: [
        text("FirmaBez", say.name),
        text("WaehrAbk", say.currency, { maxLength: 3 }),
        text("AdrSprache", say.language_code, { maxLength: 3 }),
        text("OrtLand", say.country, { maxLength: 2 }),
        text("Zeitzone", say.time_zone),
        choice("Preisart", say.price_kind, [["N", say.net], ["B", say.gross]]),
        text("RESTPreisliste", say.price_list),
        text("WUSTCode", say.tax_code),
        text("LiefKostWUSTCode", say.delivery_tax_code),
        number("StaoNr", say.location),
        choice("Rueckstand", say.backorders, [["J", say.yes], ["N", say.no]]),
        text("AdrAdresse1", say.street),
        text("AdrAdresse2", say.street_2),
        text("OrtPLZ", say.postal_code),
        text("OrtName", say.town),
        text("UStIdNr", say.vat_id),
        text("SteuerNummer", say.tax_number),
        text("RegisterNr", say.register_entry),
        text("KontaktName", say.contact_person),
        text("AdrTf1", say.phone),
        text("EmailAdress", say.email, { type: "email" }),
        text("IBAN", "IBAN"),
        text("QRIBAN", say.qr_iban),
        text("BIC", "BIC"),
        number("ZahlFrist", say.days_until_due),
        picture("Logo", say.logo, say.logo_hint),
        list("Zahlungsbedingungen", say.payment_conditions, paymentCondition(), { blocks: true }),
      ],
    };
  },
  Steuer: ({ WUSTCode }, isNew) => {
    const say = words();
    // The class of a code is chosen once, but is no part of its key.
    const taxClass = isNew ? [choice("PosWUSTKlasse", say.tax_class, [["C", "C: CH, LI"], ["D", "D: DE"], ["X", "X"]])] : [];
    return {
      title: isNew ? say.add_Steuer : `${say.tax} ${WUSTCode}`,
      key: [text("WUSTCode", say.tax_code)],
      path: `Steuer.${WUSTCode}`,
      specs: [
        ...taxClass,
        list("Saetze", say.tax_rates, [text("GueltigAb", say.valid_from, { type: "date" }), text("GueltigBis", say.until, { type: "date" }), number("WUSTSatz", say.percent)]),
        texts("Text"),
        choice("Kategorie", say.tax_category, [[undefined, "–"], ...["S", "Z", "E", "AE", "K", "G", "O"].map((code) => [code, say[`tax_category_${code}`]])]),
        list("BefreiungsGrund", say.exemption_reasons, translated("Text")),
        text("BefreiungsCode", say.exemption_code),
      ],
      isFolded: !isNew,
    };
  },
};

/** Whether lines of this kind have a form. */
export const isEdited = (kind) => kind in FORMS;

/**
 * The title, the members and the path of a line, as problems of an invoice name it. Members of the `key`, which tells it from
 * others of its kind, are written once.
 */
export function rowsOf(kind, body, isNew) {
  const { key = [], path = kind, specs, ...row } = FORMS[kind](body, isNew);
  return { ...row, key, path, specs: isNew ? [...key, ...specs] : specs };
}

/** A member in the words of its form, from the path in a problem of an invoice; nothing when no form has it. */
export function labelOf(path) {
  const [kind, ...between] = path.split(".");
  const name = between.pop();
  if (!isEdited(kind) || name === undefined) return undefined;
  const { title, specs } = rowsOf(kind, { WUSTCode: between.join(".") }, false);
  const spec = specs.find((one) => one.name === name);
  return spec && `${title}, ${spec.label}`;
}

/** What the company lacks for every invoice: the paths in the server's refusal. */
export function lackingForInvoices(company) {
  const lacking = ["FirmaBez", "AdrAdresse1", "OrtPLZ", "OrtName"].filter((name) => !company[name]);
  if (!company.UStIdNr && !company.SteuerNummer) lacking.push("UStIdNr");
  if (company.ZahlFrist === undefined && !company.Zahlungsbedingungen) lacking.push("ZahlFrist");
  return lacking.map((name) => `Firma.${name}`);
}
