// The main job of a shop and its admin, with openapi-fetch and the types that openapi-typescript generates.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./interface.js";

type Schemas = components["schemas"];
type Client = ReturnType<typeof createClient<paths>>;

const setting = (name: string): string => {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
};
const baseUrl = setting("ERP_URL");
const file = (name: string): Buffer => readFileSync(`${setting("ERP_FIXTURES")}/${name}`);

/** The data of a response, which must exist; an error is shown completely. */
const of = <T>(answer: { data?: T; error?: unknown }): T => {
  assert(answer.data !== undefined, JSON.stringify(answer.error));
  return answer.data;
};

async function login(user: string, password: string): Promise<Client> {
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  const open = createClient<paths>({ baseUrl });
  const token = of(await open.POST("/www/token", { headers: { authorization: `Basic ${basic}` } }));
  assert.equal(token.expires_in, 3600);
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token.access_token}` } });
}

async function articles(shop: Client): Promise<void> {
  const page = of(
    await shop.GET("/www/artikel", { params: { query: { limit: 2, offset: 2, sorts: "-ArtNr" } } }),
  );
  assert.equal(page.data.length, 2);
  assert.deepEqual(page.links.map((link) => link.rel).sort(), ["next", "prev", "start"]);
  const path = { ArtNr: "LM-3001" };
  const article = of(await shop.GET("/www/artikel/{ArtNr}", { params: { path } })).data;
  assert.equal(article.HatVPE, "J");
  assert.equal(article.Verpackungen?.[0]?.Preis?.[0]?.PreisList, 18.9);
  const media = of(await shop.GET("/www/artikelmedia/{ArtNr}", { params: { path } })).data;
  const picture = media.find((entry) => entry.AMDBildFormat === "png");
  assert(picture);
  const { data, response } = await shop.GET("/www/artikelmediadaten/{IDKey}", {
    params: { path: { IDKey: picture.IDKey }, query: { type: "Bild" } },
    parseAs: "arrayBuffer",
  });
  assert.equal(response.headers.get("content-type"), "image/png");
  assert(data && data.byteLength > 1000);
}

async function customer(shop: Client): Promise<string> {
  const address: Schemas["AddressBody"] = {
    AdrSprache: "ger",
    AdrAnrede: 2,
    AdrVorname: "Zoë",
    AdrName: "Müller-Größ",
    AdrAdresse1: "Bärengasse 5",
    OrtLand: "CH",
    OrtPLZ: "8001",
    OrtName: "Zürich",
  };
  const body: Schemas["CustomerBody"] = {
    GrundDaten: { WaehrAbk: "CHF", FAKTZahlArt: "B" },
    Adressen: { KontaktAdr: address },
  };
  const number = of(await shop.POST("/www/kunden", { body })).data.DebiNr;
  const stored = of(
    await shop.GET("/www/kunden/{DebiNr}", { params: { path: { DebiNr: number } } }),
  ).data;
  assert.equal(stored.WaehrAbk, "CHF");
  return number;
}

async function readOrder(shop: Client, number: string): Promise<Schemas["Order"]> {
  const path = { AuftNr: number };
  return of(await shop.GET("/www/auftrag/{AuftNr}", { params: { path } })).data;
}

async function order(shop: Client, customerNumber: string): Promise<void> {
  const body: Schemas["OrderBody"] = {
    GrundDaten: { KundNr: customerNumber, AuftBez: "Bestellung für das Büro", AuftLiefKost: 9.9 },
    Positionen: [
      { ArtNr: "BU-1002", Menge: 12 },
      { ArtNr: "BU-1001", Menge: 10, VPEinheit: "KARTON", GRabSatz: 5 },
      { ArtNr: "LM-3001", Menge: 4, PosBez: "Kaffee für die Küche" },
    ],
    Zahlung: [{ Bezeichnung: "payment_method", Wert: "R" }],
  };
  const params = { header: { "Idempotency-Key": `typescript-${customerNumber}` } };
  const first = of(await shop.POST("/www/auftrag", { body, params })).data.AuftNr;
  const again = of(await shop.POST("/www/auftrag", { body, params })).data.AuftNr;
  assert.equal(again, first, "one key, one order");
  const { GrundDaten, Positionen } = await readOrder(shop, first);
  assert.equal(Positionen.length, 3);
  assert.deepEqual(
    [GrundDaten.AuftStatus, GrundDaten.AuftNetto, GrundDaten.AuftWUST, GrundDaten.AuftBrutto],
    ["N", 203.25, 12.1, 215.35],
  );
}

async function offer(shop: Client, customerNumber: string): Promise<void> {
  const created = of(
    await shop.POST("/www/offerte", {
      body: { Positionen: [{ ArtNr: "BU-1001", Menge: 3 }, { ArtNr: "LM-3001", Menge: 2 }] },
    }),
  ).data;
  const query = { OffertNr: created.OffertNr };
  const changed = of(
    await shop.PATCH("/www/offerte", {
      params: { query },
      body: {
        Positionen: [
          { PosNr: 1, Menge: 10 },
          { PosNr: 2, Menge: 0 },
          { ArtNr: "BU-1002", Menge: 4, GRabSatz: 10 },
        ],
      },
    }),
  ).data;
  assert.deepEqual(changed.Positionen.map((position) => position.PosNr), [1, 3]);
  assert.equal(changed.GrundDaten.Template, true);
  const read = await shop.GET("/www/offerte", { params: { query } });
  assert.deepEqual(of(read).data.Positionen, changed.Positionen);
  const given = of(
    await shop.PATCH("/www/offerte", {
      params: {
        query: { ...query, KundNr: customerNumber },
        header: { "If-Match": read.response.headers.get("etag") ?? "" },
      },
      body: {},
    }),
  ).data;
  assert.equal(given.GrundDaten.Template, false);
  const body = { GrundDaten: { KundNr: customerNumber, OffertNr: created.OffertNr } };
  const converted = of(await shop.PUT("/www/auftrag", { body }));
  assert.equal(converted.success, true);
  const stored = await readOrder(shop, converted.data.AuftNr);
  assert.equal(stored.GrundDaten.AuftBrutto, changed.GrundDaten.AuftBrutto);
}

async function addresses(shop: Client): Promise<void> {
  const query = { EmailAdress: "einkauf@elektroblitz.example.ch" };
  const found = of(await shop.GET("/www/adressensuche", { params: { query } }));
  assert.equal(found.success, true);
  assert(found.data.KundKontakt !== undefined);
  const params = { path: { AdrNr: found.data.KundKontakt } };
  const { response } = await shop.PATCH("/www/adressen/{AdrNr}", {
    params,
    body: { AdrFirma2: "Einkauf", AdrTf1: "+41 31 000 00 99" },
  });
  assert.equal(response.status, 204);
  const address = of(await shop.GET("/www/adressen/{AdrNr}", { params })).data;
  assert.equal(address.AdrFirma2, "Einkauf");
}

async function invoices(shop: Client): Promise<void> {
  const run = async (body: Schemas["ZugferdBody"]) => {
    const answer = await shop.POST("/www/zugferd", { body, parseAs: "arrayBuffer" });
    return { ...answer, bytes: Buffer.from(answer.data ?? new ArrayBuffer(0)) };
  };
  const encoded = (bytes: Buffer) => bytes.toString("base64");
  const hybrid = encoded(file("hybrid-facturx-en16931.pdf"));
  const { bytes: xml } = await run({ Operation: "Extract", PDF: hybrid });
  assert(xml.includes("CrossIndustryInvoice"));
  const plain = encoded(file("a3b.pdf"));
  const combined = await run({ Operation: "Combine", PDF: plain, XML: encoded(xml) });
  assert.equal(combined.response.headers.get("x-pdf-a"), "kept");
  const extracted = await run({ Operation: "Extract", PDF: encoded(combined.bytes) });
  assert.deepEqual(extracted.bytes, xml);
  const refused = await run({ Operation: "Extract", PDF: plain });
  assert.equal(refused.error?.error, "endpoint");
}

async function refusals(shop: Client): Promise<void> {
  const { error, response } = await shop.POST("/www/auftrag", {
    body: { GrundDaten: { KundNr: "10007" }, Positionen: [{ ArtNr: "NO-SUCH", Menge: -1 }] },
  });
  assert.equal(response.status, 422);
  const paths = error?.info.problems?.map((problem) => problem.path);
  assert(paths?.includes("Positionen[0].Menge"));
}

const shop = await login("shop1", setting("ERP_SHOP_PASSWORD"));
await articles(shop);
const number = await customer(shop);
await order(shop, number);
await offer(shop, number);
await addresses(shop);
await invoices(shop);
await refusals(shop);
assert.equal((await shop.DELETE("/www/log")).response.status, 403);
const admin = await login("admin", setting("ERP_ADMIN_PASSWORD"));
assert.equal((await admin.DELETE("/www/log")).response.status, 204);
assert.equal((await shop.POST("/www/token/revoke")).response.status, 204);
console.log("the TypeScript client did the main job");
