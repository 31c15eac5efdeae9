// Uses the package in TypeScript; `tsc --strict` checks it against the packed types.

import {
  ErpError,
  checkTown,
  init,
  loadTowns,
  priceOf,
  totalsOf,
  validateAddress,
  validateAddressChange,
  validateConversion,
  validateCustomer,
  validateOffer,
  validateOfferChange,
  validateOrder,
  version,
  type AddressBody,
  type Article,
  type OrderBody,
  type Problem,
  type ProblemCode,
  type Totals,
} from "erp-wasm";
import * as small from "erp-wasm/address";
import * as checks from "erp-wasm/check";
import { Client, ServerError, newKey, type Order, type Page, type Session, type Tagged, type TokenSource } from "erp-wasm/client";
import * as zugferd from "erp-wasm/zugferd";

const address: AddressBody = { AdrSprache: "ger", OrtLand: "CH", OrtPLZ: "8001", OrtName: "Zürich" };
const order: OrderBody = {
  GrundDaten: { KundNr: "10001", AuftLiefKost: 9.9 },
  Adressen: { LiefAdr: address },
  Positionen: [{ ArtNr: "A-1", Menge: 3 }],
};

function marked(problems: readonly Problem[]): Map<string, ProblemCode> {
  return new Map(problems.map(({ path, code }) => [path, code]));
}

export async function use(articles: readonly Article[], file: ArrayBuffer): Promise<Totals | string> {
  await Promise.all([init(), loadTowns(), small.init(file), small.loadTowns(new URL("https://a.example"))]);
  await init(await WebAssembly.compile(file));
  marked(validateAddress(address, { strict: true })).get("OrtName");
  marked([...validateCustomer({}), ...validateOrder(order), ...validateOffer("{}")]);
  marked(validateConversion({ GrundDaten: { KundNr: "10001", OffertNr: "500001" } }));
  marked(validateOfferChange({ Positionen: [{ PosNr: 1, Menge: 0 }] }));
  marked(validateAddressChange({ OrtName: "Bern" }, { strict: true }));
  const town = checkTown(address);
  switch (town.outcome) {
    case "corrected":
      return `${town.from} is ${town.to} (${town.stage})`;
    case "conflict":
      return town.places.map((place) => place.postal_code).join();
    case "ambiguous":
      return town.candidates.join();
    case "unchanged":
    case "unknown_postal_code":
    case "not_covered":
      break;
    default:
      return town satisfies never;
  }
  try {
    const price = priceOf({ Menge: 3 }, articles, { currency: "CHF" });
    const text: string | undefined = price.PosBez;
    const sum: number = totalsOf(order, articles).GrundDaten.AuftBrutto;
    return text ?? (sum > 0 ? "sold" : totalsOf(order, articles, { cashRounding: 0.05, taxCodes: { "A-1": "CH" } }));
  } catch (error) {
    if (error instanceof ErpError && error.code === "invalid") return error.problems[0]?.message ?? "";
    throw error;
  }
}

export async function page(token: TokenSource): Promise<string | undefined> {
  const client = await Client.login("https://erp.example.ch", token, { tries: 1 });
  await Client.login("", () => fetch("/shop/token", { method: "POST" }));
  return client.session?.customer;
}

export async function buy(session: Session): Promise<string> {
  const client = Client.resume("", session, { tries: 3, onSession: (session) => session?.token });
  for await (const page of client.articlePages({ debinr: "10007", fields: "ArtNr" })) {
    const shown: Page<Article> = page;
    if ((shown.count ?? 0) > 0) break;
  }
  for await (const { ArtNr } of client.listArticles()) order.Positionen?.push({ ArtNr: ArtNr ?? null, Menge: 1 });
  try {
    const { AuftNr } = await client.createOrder(order, { key: newKey(), signal: AbortSignal.timeout(5) });
    const { data, etag }: Tagged<Order> = await client.readOrder(AuftNr);
    await client.changeAddress(7, { OrtName: "Bern" }, { ...(etag !== undefined && { ifMatch: etag }) });
    return data.GrundDaten.AuftStatus;
  } catch (error) {
    if (error instanceof ServerError && error.status === 422) return error.problems.map(({ path, code }) => path + code).join();
    throw error;
  }
}

// @ts-expect-error no such parameter
Client.resume("", { token: "", ends: 0 }).articlePages({ sort: "ArtNr" });

export function invoices(pdf: Uint8Array, xml: Uint8Array): Blob | string {
  try {
    const combined: zugferd.Combined = zugferd.zugferdCombine(pdf, xml, { now: new Date(), requirePdfa: true });
    const { profile, others } = zugferd.zugferdExtract(combined.pdf, { fileName: "factur-x.xml" });
    const pages: number = zugferd.zugferdInspect(combined.pdf).pages ?? 0;
    if (combined.outcome === "not-claimed") return combined.reasons.map(({ message }) => message).join();
    return others.length > pages ? (profile?.level ?? "") : new Blob([combined.pdf]);
  } catch (error) {
    if (error instanceof zugferd.ErpError && error.code === "not_pdfa") return error.reasons[0]?.message ?? "";
    throw error;
  }
}

export function problems(file: Uint8Array | string, german: boolean): string {
  const report: checks.CheckReport = checks.check(file, { fileName: "factur-x.xml" });
  if (report.valid) return report.profile ?? report.rules.join();
  const sentence = ({ rule, source, severity, line, terms, en, de }: checks.CheckFinding): string => {
    const word: checks.CheckSeverity = severity;
    return `${word} ${rule} of ${source} (${terms.join(", ")}) line ${line}: ${german ? de : en}`;
  };
  return report.findings.map(sentence).join("\n");
}

export function due(file: Uint8Array): string {
  const said: checks.InvoiceTerms = checks.readInvoice(file);
  const lines: readonly checks.InvoiceLine[] = said["BG-25"] ?? [];
  const classes = lines.flatMap((line) => line["BT-158"]?.map((one) => one["BT-158"] ?? "") ?? []);
  return `${said["BT-1"] ?? ""} ${said["BG-22"]?.["BT-115"] ?? ""} ${said["BG-4"]?.["BT-29"]?.[0]?.["BT-29-1"] ?? ""} ${classes.join()}`;
}

const shown: checks.ReportOptions = { language: "de", name: "invoice.xml" };
export const reportPage: string = checks.reportHtml(new Uint8Array(), shown);

// @ts-expect-error a language of reports
checks.reportHtml("<a/>", { language: "fr" });
// @ts-expect-error there is no such term
export const none: string | undefined = checks.readInvoice("<a/>")["BT-999"];
// @ts-expect-error a file is bytes or text
checks.check(new ArrayBuffer(1));
// @ts-expect-error a setting that is not known
zugferd.zugferdCombine(new Uint8Array(), new Uint8Array(), { requirePDFA: true });
// @ts-expect-error a text is no file
zugferd.zugferdExtract("%PDF-");
// @ts-expect-error a member of another type
validateAddress({ OrtName: 5 });
// @ts-expect-error a setting that is not known
totalsOf(order, [], { cashrounding: 0.05 });
// @ts-expect-error no such code
export const code: ProblemCode = "nope";
export const about: string = version();
