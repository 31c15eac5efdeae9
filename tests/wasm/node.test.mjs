// Every function of the package in node, from the files that are packed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import * as erp from "../../erp-wasm/dist/index.js";
import * as small from "../../erp-wasm/dist/address.js";
import * as addressGlue from "../../erp-wasm/dist/wasm/address/erp_wasm.js";
import * as shopGlue from "../../erp-wasm/dist/wasm/shop/erp_wasm.js";
import { answers, expected, ofAddresses } from "./cases.mjs";
import { cases, dist, goldenAnswers, read, root } from "./paths.mjs";

const article = {
  ArtNr: "A-1",
  ArtBez: "Stift",
  WaehrAbk: "CHF",
  WUSTSatz: 8.1,
  Preis: [
    { AbAnzahl: 1, BisAnzahl: 11, PreisList: 12.35, Preisart: "N" },
    { AbAnzahl: 12, PreisList: 11, Preisart: "N" },
  ],
};

const refused = (call, code, more = {}) => {
  assert.throws(call, (error) => {
    assert.ok(error instanceof erp.ErpError && error instanceof Error);
    assert.equal(error.code, code);
    assert.ok(error.message.length > 0);
    for (const [name, value] of Object.entries(more)) assert.deepEqual(error[name], value);
    return true;
  });
};

test("before the start every function says so", async () => {
  refused(() => erp.version(), "not_ready");
  refused(() => erp.validateAddress({}), "not_ready");
  refused(() => erp.checkTown({}), "not_ready", { message: "`init()` has not finished" });
  await erp.init();
  refused(() => erp.checkTown({}), "not_ready");
});

test("a start that fails can be tried again", async () => {
  const missing = new URL("nowhere.wasm", dist);
  await assert.rejects(small.init(missing), { name: "ErpError", code: "load" });
  await assert.rejects(small.init(new Uint8Array(8)), { name: "ErpError", code: "load" });
  await assert.rejects(erp.loadTowns(missing), { name: "ErpError", code: "load" });
  await small.init(readFileSync(new URL("wasm/address/erp_wasm_bg.wasm", dist)));
  await small.init();
});

test("the version is that of the manifest", async () => {
  await Promise.all([erp.init(), erp.init()]);
  assert.equal(erp.version(), JSON.parse(read("package.json")).version);
  assert.equal(small.version(), erp.version());
});

test("all cases are answered with the golden bytes", async () => {
  const towns = new shopGlue.Towns();
  towns.add(readFileSync(new URL("towns_ch_li.txt", dist)));
  assert.equal(answers(cases(), shopGlue, towns), goldenAnswers());
  towns.free();
});

test("the small build answers those of addresses with the same bytes", () => {
  const towns = new addressGlue.Towns();
  towns.add(readFileSync(new URL("towns_ch_li.txt", dist)));
  const own = ofAddresses(cases());
  assert.ok(own.length > 20);
  assert.equal(answers(own, addressGlue, towns), expected(goldenAnswers(), own));
});

test("addresses", () => {
  const problems = erp.validateAddress({ AdrAnrede: 7, OrtName: "x".repeat(49) });
  assert.deepEqual(
    problems.find(({ path }) => path === "OrtName"),
    { path: "OrtName", code: "too_long", message: "49 characters, at most 48 are allowed", limit: 48 },
  );
  assert.equal(erp.validateAddress({ Nope: 1 }, { strict: true })[0].code, "unknown_member");
  assert.deepEqual(small.validateAddress({ AdrAnrede: 7 }), erp.validateAddress('{"AdrAnrede":7}'));
});

test("towns", async () => {
  assert.ok((await erp.loadTowns()) > 4000);
  const biel = erp.checkTown({ OrtLand: "CH", OrtPLZ: "2502", OrtName: "Biel" });
  assert.equal(biel.outcome === "corrected" && biel.to, "Biel/Bienne");
  refused(() => erp.checkTown({ OrtLand: "QQ" }), "invalid", {
    problems: [
      {
        path: "OrtLand",
        code: "unknown_country",
        message: "`QQ` is not a country code of ISO 3166-1 alpha-2",
      },
    ],
  });
  const table = new TextEncoder().encode("country,postal_code,town\nDE,10115,Berlin\n");
  assert.equal(await erp.loadTowns(table), 1);
  assert.equal(erp.checkTown({ OrtLand: "DE", OrtPLZ: "10115", OrtName: "berlin" }).to, "Berlin");
  assert.equal(erp.checkTown({ OrtLand: "CH", OrtPLZ: "2502", OrtName: "Biel" }).to, "Biel/Bienne");
  await assert.rejects(erp.loadTowns(new Uint8Array([0xff])), { code: "malformed" });
  await assert.rejects(erp.loadTowns(new TextEncoder().encode("a,b\n1,2\n")), { code: "invalid" });
  assert.ok((await small.loadTowns()) > 4000);
  await assert.rejects(small.loadTowns(table), { code: "invalid" });
});

test("bodies", () => {
  const paths = (problems) => problems.map(({ path }) => path);
  assert.deepEqual(paths(erp.validateOrder({ Positionen: [{ Menge: 1 }] })), [
    "GrundDaten.KundNr",
    "Positionen[0].ArtNr",
  ]);
  assert.deepEqual(paths(erp.validateOffer({ Positionen: [{ ArtNr: "A", Menge: 1 }] })), []);
  assert.ok(paths(erp.validateCustomer({})).includes("Adressen.KontaktAdr"));
  assert.deepEqual(paths(erp.validateConversion({})), ["GrundDaten.KundNr", "GrundDaten.OffertNr"]);
  assert.deepEqual(paths(erp.validateOfferChange({ Positionen: [{ Menge: 1 }] })), ["Positionen[0].ArtNr"]);
  assert.deepEqual(paths(erp.validateAddressChange({ OrtName: "" })), ["OrtName"]);
});

test("problems are said in the language that is asked for", () => {
  const required = (how) => erp.validateAddress({}, how)[0].message;
  const expected = { de: "dieses Feld ist erforderlich", fr: "ce champ est obligatoire", it: "questo campo è obbligatorio" };
  for (const [language, message] of Object.entries(expected)) {
    assert.equal(required({ language }), message);
    assert.equal(required({ language: `${language}-CH`, strict: true }), message);
  }
  for (const how of [undefined, {}, { language: "en" }, { language: "es" }]) assert.equal(required(how), "this member is required");
  const unknown = { Positionen: [{ ArtNr: "B", Menge: 1 }] };
  refused(() => erp.totalsOf(unknown, [article], { language: "de" }), "invalid", { message: "`Positionen[0].ArtNr`: den Artikel `B` gibt es nicht" });
  refused(() => erp.checkTown({}, { language: "it" }), "invalid", { message: "`OrtLand`: questo campo è obbligatorio" });
});

test("prices and totals", () => {
  const price = erp.priceOf({ Menge: 12 }, article);
  assert.deepEqual([price.PosPreisEinzel, price.Preisart, price.WaehrAbk], [11, "N", "CHF"]);
  const basket = { GrundDaten: { AuftLiefKost: 9.9 }, Positionen: [{ ArtNr: "A-1", Menge: 3 }] };
  const totals = erp.totalsOf(basket, [article], { cashRounding: 0.05 });
  assert.deepEqual([totals.GrundDaten.AuftBrutto, totals.payable], [50.75, 50.75]);
  refused(() => erp.totalsOf({ Positionen: [{ ArtNr: "B", Menge: 1 }] }, [article]), "invalid", {
    message: "`Positionen[0].ArtNr`: there is no article `B`",
  });
  refused(() => erp.priceOf({ Menge: 12 }, article, { nope: 1 }), "invalid");
});

test("inputs that are no JSON", () => {
  refused(() => erp.validateOrder("{"), "malformed", { problems: [] });
  refused(() => erp.validateOrder("[".repeat(100_000)), "malformed");
  const circle = {};
  circle.circle = circle;
  refused(() => erp.validateOrder(circle), "malformed");
  refused(() => erp.validateOrder(10n), "malformed");
  for (const odd of [undefined, null, 5, Symbol("x"), () => 1, "\ud800", "\0"]) {
    try {
      assert.ok(erp.validateAddress(odd).length > 0);
    } catch (error) {
      assert.equal(error.code, "malformed", String(odd));
    }
  }
});

test("memory is given back", async () => {
  const { memory } = await shopGlue.default();
  const body = JSON.stringify({ Positionen: Array.from({ length: 500 }, () => ({ Menge: "x" })) });
  const towns = readFileSync(new URL("towns_ch_li.txt", dist));
  const round = () => {
    erp.validateOrder(body);
    erp.totalsOf({ Positionen: [{ ArtNr: "A-1", Menge: 3 }] }, [article]);
    refused(() => erp.totalsOf(body, [article]), "invalid");
    const known = new shopGlue.Towns();
    known.add(towns);
    known.free();
  };
  for (let at = 0; at < 5; at += 1) round();
  const before = memory.buffer.byteLength;
  for (let at = 0; at < 200; at += 1) round();
  assert.equal(memory.buffer.byteLength, before);
});

test("the README's start works", () => {
  const [, block] = read("README.md").split("```ts\n");
  const code = block.split("```")[0].replace('"erp-wasm"', JSON.stringify(new URL("index.js", dist).href));
  const run = ["--input-type=module", "--eval", code];
  const shown = execFileSync(process.execPath, run, { encoding: "utf8" });
  assert.ok(shown.startsWith("AdrAdresse1 required "), shown);
  assert.ok(shown.includes("\nAdrAnrede unknown_value `7` is none of 0 (general), 1 (mister), 2 (miss)\n"), shown);
  assert.ok(shown.includes("to: 'Biel/Bienne'") && shown.endsWith("40.05\n"), shown);
});

test("the pages of the package describe every exported function and type", () => {
  const folder = mkdtempSync(join(tmpdir(), "erp-wasm-docs-"));
  try {
    const npm = fileURLToPath(new URL("erp-wasm/npm/", root));
    execFileSync("npm", ["run", "docs", "--", "--out", folder], { cwd: npm, stdio: "pipe" });
    const entries = readdirSync(join(folder, "modules")).sort();
    const expected = ["", "_address", "_check", "_client", "_zugferd"].map((entry) => `erp-wasm${entry}.html`);
    assert.deepEqual(entries, expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a worker of node", async () => {
  const code = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("index.js", dist).href)}).then(async (erp) => {
      await erp.loadTowns();
      parentPort.postMessage(erp.checkTown({ OrtLand: "CH", OrtPLZ: "8001", OrtName: "zuerich" }).to);
    });`;
  const worker = new Worker(code, { eval: true });
  const town = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(town, "Zürich");
  await worker.terminate();
});
