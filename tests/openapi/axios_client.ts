// The main job of a shop and its admin, with the client that openapi-generator generates for TypeScript and axios.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  AdministrationApi,
  ArtikelApi,
  ArtikelmediaApi,
  AuftragApi,
  Configuration,
  KundenApi,
  TokenApi,
  ZugferdApi,
  ZugferdBodyOperationEnum,
  type AddressBody,
  type ErrorBody,
  type OrderBody,
} from "./client/index.js";

const setting = (name: string): string => {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
};
const basePath = setting("ERP_URL");
const file = (name: string): Buffer => readFileSync(`${setting("ERP_FIXTURES")}/${name}`);
/** Returns every response with its status, including errors. */
const plain = { validateStatus: () => true };
const binary = { ...plain, responseType: "arraybuffer" as const };

async function login(user: string, password: string): Promise<Configuration> {
  const open = new Configuration({ basePath, username: user, password });
  const token = (await new TokenApi(open).createToken()).data;
  assert.equal(token.expires_in, 3600);
  return new Configuration({ basePath, accessToken: token.access_token });
}

async function articles(shop: Configuration): Promise<void> {
  const page = (await new ArtikelApi(shop).listArticles(undefined, "10007", undefined, 2, 2)).data;
  assert.equal(page.data.length, 2);
  const article = (await new ArtikelApi(shop).readArticle("LM-3001")).data.data;
  assert.equal(article.Verpackungen?.[0]?.Preis?.[0]?.PreisList, 18.9);
  const media = new ArtikelmediaApi(shop);
  const list = (await media.listMedia("LM-3001")).data.data;
  const picture = list.find((entry) => entry.AMDBildFormat === "png");
  assert(picture);
  const key = picture.IDKey;
  const read = await media.readMedia(key, "Bild", undefined, undefined, undefined, undefined, binary);
  assert.equal(Buffer.from(read.data as unknown as ArrayBuffer).toString("latin1", 1, 4), "PNG");
}

async function customer(shop: Configuration): Promise<string> {
  const address: AddressBody = {
    AdrSprache: "ger",
    AdrAnrede: 2,
    AdrVorname: "Zoë",
    AdrName: "Müller-Größ",
    AdrAdresse1: "Bärengasse 5",
    OrtLand: "CH",
    OrtPLZ: "8001",
    OrtName: "Zürich",
  };
  const customers = new KundenApi(shop);
  const created = await customers.createCustomer({
    GrundDaten: { WaehrAbk: "CHF", FAKTZahlArt: "B" },
    Adressen: { KontaktAdr: address },
  });
  const number = created.data.data.DebiNr;
  assert.equal((await customers.readCustomer(number)).data.data.WaehrAbk, "CHF");
  return number;
}

async function order(shop: Configuration, customerNumber: string): Promise<void> {
  const body: OrderBody = {
    GrundDaten: { KundNr: customerNumber, AuftBez: "Bestellung für das Büro", AuftLiefKost: 9.9 },
    Positionen: [
      { ArtNr: "BU-1002", Menge: 12 },
      { ArtNr: "BU-1001", Menge: 10, VPEinheit: "KARTON", GRabSatz: 5 },
      { ArtNr: "LM-3001", Menge: 4, PosBez: "Kaffee für die Küche" },
    ],
  };
  const orders = new AuftragApi(shop);
  const key = `axios-${customerNumber}`;
  const first = (await orders.createOrder(body, key)).data.data.AuftNr;
  assert.equal((await orders.createOrder(body, key)).data.data.AuftNr, first, "one key, one order");
  const { GrundDaten } = (await orders.readOrder(first)).data.data;
  assert.deepEqual([GrundDaten.AuftNetto, GrundDaten.AuftBrutto], [203.25, 215.35]);
  const wrong = { GrundDaten: { KundNr: "10007" }, Positionen: [{ ArtNr: "NO-SUCH", Menge: -1 }] };
  const refused = await orders.createOrder(wrong, undefined, plain);
  assert.equal(refused.status, 422);
  const { info } = refused.data as unknown as ErrorBody;
  assert(info.problems?.some((problem) => problem.path === "Positionen[0].Menge"));
}

async function invoices(shop: Configuration): Promise<void> {
  const run = async (Operation: ZugferdBodyOperationEnum, PDF: Buffer, XML?: Buffer) => {
    const body = { Operation, PDF: PDF.toString("base64"), XML: XML?.toString("base64") ?? null };
    const answer = await new ZugferdApi(shop).processInvoice(body, undefined, binary);
    return { status: answer.status, bytes: Buffer.from(answer.data as unknown as ArrayBuffer) };
  };
  const { Combine, Extract } = ZugferdBodyOperationEnum;
  const { bytes: xml } = await run(Extract, file("hybrid-facturx-en16931.pdf"));
  assert(xml.includes("CrossIndustryInvoice"));
  const combined = await run(Combine, file("a3b.pdf"), xml);
  assert.deepEqual((await run(Extract, combined.bytes)).bytes, xml);
  assert.equal((await run(Extract, file("a3b.pdf"))).status, 400);
}

const shop = await login("shop1", setting("ERP_SHOP_PASSWORD"));
await articles(shop);
await order(shop, await customer(shop));
await invoices(shop);
assert.equal((await new AdministrationApi(shop).deleteLog(plain)).status, 403);
const admin = new AdministrationApi(await login("admin", setting("ERP_ADMIN_PASSWORD")));
const row = '{"Artikel": {"ArtNr": "AXIOS-1", "ArtBez": "Aus axios, größer", "AnLager": "J"}}\n';
const ndjson = { headers: { "Content-Type": "application/x-ndjson" } };
assert.equal((await admin.importMasterData(undefined, undefined, undefined, row, ndjson)).data.data.added, 1);
assert.equal((await admin.deleteLog()).status, 204);
assert.equal((await new TokenApi(shop).revokeToken()).status, 204);
assert.equal((await new ArtikelApi(shop).readArticle("LM-3001", undefined, undefined, undefined, plain)).status, 401);
console.log("the TypeScript client with axios did the main job");
