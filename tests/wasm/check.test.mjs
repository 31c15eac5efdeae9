// The check of invoices in node: the same reports as from native code, texts and bytes, errors, memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as erp from "../../erp-wasm/dist/check.js";
import * as glue from "../../erp-wasm/dist/wasm/check/erp_wasm.js";
import { checkFixtures, fixtures, invoiceFile, nativeInvoices, read } from "./paths.mjs";
import { compared, ratios } from "./zugferd.mjs";

const file = (name, folder = checkFixtures) => new Uint8Array(readFileSync(new URL(name, folder)));
const pdf = (name) => file(name, fixtures);
const rules = (report) => report.findings.map(({ rule }) => rule);

const refused = (call, code, check = () => {}) => {
  assert.throws(call, (error) => {
    assert.ok(error instanceof erp.ErpError);
    assert.equal(error.code, code);
    check(error);
    return true;
  });
};

test("before the start every function says so", async () => {
  refused(() => erp.version(), "not_ready");
  refused(() => erp.check("<a/>"), "not_ready");
  await erp.init();
  assert.equal(erp.version(), JSON.parse(read("package.json")).version);
});

test("every invoice has the report of native code", async (context) => {
  const manifest = nativeInvoices({ check: true });
  assert.ok(manifest.cases.length > 100);
  const { different, times } = await compared(manifest, glue, invoiceFile);
  for (const line of ratios(times)) context.diagnostic(line);
  assert.deepEqual(different, []);
});

test("a valid invoice has an empty report", () => {
  const { rules, ...report } = erp.check(file("valid.xml"));
  assert.deepEqual(report, {
    valid: true,
    structure: "Factur-X 1.09 EN 16931",
    profile: "urn:cen.eu:en16931:2017",
    fatal: 0,
    warnings: 0,
    information: 0,
    findings: [],
    fileName: null,
  });
  assert.match(rules[0], /EN ?16931/i);
});

test("UBL is checked too, with its structure", () => {
  for (const name of ["ubl-invoice.xml", "ubl-credit-note.xml"]) {
    const { valid, structure, rules, findings } = erp.check(file(name));
    assert.deepEqual([valid, structure, findings], [true, "UBL 2.1", []]);
    assert.deepEqual(rules, ["EN 16931 UBL 1.3.16", "XRechnung 3.0.2 UBL 2.5.0"]);
  }
  const found = erp.check(file("ubl-broken.xml")).findings.find(({ rule }) => rule === "BR-CO-16");
  assert.equal(found.path, "/ubl:Invoice/cac:LegalMonetaryTotal");
  for (const sentence of [found.en, found.de]) assert.match(sentence, /201\.00.*200\.00/);
});

test("a finding has rule, severity, place, terms and sentences in two languages", () => {
  const report = erp.check(file("broken-sums.xml"));
  assert.deepEqual([report.valid, report.findings.length], [false, report.fatal + report.warnings + report.information]);
  const found = report.findings.find(({ rule }) => rule === "BR-CO-10");
  assert.deepEqual([found.severity, found.terms.includes("BT-106"), found.line], ["fatal", true, 142]);
  assert.match(found.path, /\/ram:SpecifiedTradeSettlementHeaderMonetarySummation$/);
  for (const sentence of [found.en, found.de]) assert.match(sentence, /155\.00.*150/);
  assert.notEqual(found.en, found.de);
  assert.ok(report.findings.some(({ severity }) => severity === "warning"));
});

test("the report is an HTML document too, that of native code", () => {
  const xml = file("broken-sums.xml");
  const golden = read("broken-sums.xml.html", new URL("../golden/reports/", import.meta.url));
  assert.equal(erp.reportHtml(xml, { name: "broken-sums.xml" }), golden);
  assert.equal(erp.reportHtml(new TextDecoder().decode(xml), { language: "en", name: "broken-sums.xml" }), golden);
  const german = erp.reportHtml(pdf("hybrid-facturx-en16931.pdf"), { language: "de" });
  for (const words of ['<html lang="de">', "<h1>factur-x.xml</h1>", "Rechnung 4711 vom 02.01.2026"]) assert.ok(german.includes(words), words);
  refused(() => erp.reportHtml(xml, { languages: "de" }), "invalid");
  refused(() => erp.reportHtml(pdf("a3b.pdf")), "no_invoice");
});

test("what an invoice says is read from CII, UBL and a PDF", () => {
  const own = new URL("../../erp-core/zugferd/check/src/read/tests/", import.meta.url);
  const said = JSON.parse(read("said.json", own));
  assert.deepEqual(erp.readInvoice(file("cii.xml", own)), said);
  assert.deepEqual(erp.readInvoice(read("ubl.xml", own)), { ...said, syntax: "UBL" });
  const xml = erp.readInvoice(pdf("xml/facturx-en16931.xml"));
  assert.equal(xml["BT-1"], "4711");
  assert.deepEqual(erp.readInvoice(pdf("hybrid-facturx-en16931.pdf")), xml);
  const two = pdf("odd-two-invoices.pdf");
  assert.notDeepEqual(erp.readInvoice(two, { fileName: "factur-x.xml" }), erp.readInvoice(two));
});

test("what cannot be told is an error", () => {
  refused(() => erp.readInvoice("<order/>"), "not_an_invoice");
  refused(() => erp.readInvoice("<a>"), "not_well_formed");
  refused(() => erp.readInvoice(pdf("a3b.pdf")), "no_invoice");
  refused(() => erp.readInvoice(pdf("enc-aes256-user-password.pdf")), "encrypted");
  refused(() => erp.readInvoice("<a/>", { language: "de" }), "invalid");
  refused(() => erp.readInvoice(5), "malformed");
});

test("a text has the report of its bytes, whatever encoding it names", () => {
  for (const name of ["valid.xml", "broken-sums.xml", "broken-xml.xml"]) {
    const bytes = file(name);
    const xml = new TextDecoder().decode(bytes);
    assert.deepEqual(erp.check(xml), erp.check(bytes));
    for (const encoding of ["utf-16", "ISO-8859-1", "us-ascii", "klingon"]) {
      const renamed = xml.replace("UTF-8", encoding);
      assert.deepEqual(erp.check(renamed), erp.check(bytes), encoding);
      assert.deepEqual(erp.check(`\ufeff${renamed.replaceAll('"', "'")}`), erp.check(bytes), encoding);
    }
  }
  const wrong = Buffer.from(file("valid.xml")).toString("latin1").replace("UTF-8", "us-ascii");
  assert.deepEqual(rules(erp.check(Buffer.from(wrong, "latin1"))), ["ERP-XML"]);
});

test("XML is read in the encoding its bytes name", () => {
  const xml = readFileSync(new URL("valid.xml", checkFixtures), "utf8");
  const latin = Buffer.from(xml.replace("UTF-8", "windows-1252"), "latin1");
  const wide = Buffer.from(`\ufeff${xml.replace("UTF-8", "UTF-16")}`, "utf16le");
  for (const bytes of [latin, wide]) assert.deepEqual(erp.check(bytes), erp.check(xml));
});

test("the invoice in a PDF is checked", () => {
  const report = erp.check(pdf("hybrid-facturx-en16931.pdf"));
  assert.deepEqual(report, { ...erp.check(pdf("xml/facturx-en16931.xml")), fileName: "factur-x.xml" });
  const two = pdf("odd-two-invoices.pdf");
  const fileName = "factur-x.xml";
  // The metadata name this attachment.
  assert.equal(erp.check(two).fileName, "ZUGFeRD-invoice.xml");
  assert.equal(erp.check(two, { fileName }).fileName, fileName);
});

test("what is no invoice says so", () => {
  for (const odd of ["", "no XML", "\0", "<a>", "<!-- %PDF-1.7 --><a>", new Uint8Array([0xff])]) {
    const report = erp.check(odd);
    assert.deepEqual([report.valid, rules(report)], [false, ["ERP-XML"]]);
  }
  assert.deepEqual(rules(erp.check("<order/>")), ["ERP-CII"]);
  assert.deepEqual(rules(erp.check(new Uint8Array(17 << 20))), ["ERP-XML"]);
});

test("what cannot be read is an error", () => {
  refused(() => erp.check(pdf("a3b-attachments.pdf")), "no_invoice", (error) => {
    assert.ok(error.attachments.length > 0);
  });
  refused(() => erp.check(pdf("enc-aes256-user-password.pdf")), "encrypted");
  for (const odd of [undefined, null, 5, [60], new ArrayBuffer(4), {}]) refused(() => erp.check(odd), "malformed");
  refused(() => erp.check("<a/>", { name: "a.xml" }), "invalid");
});

test("memory is given back", async () => {
  const { memory } = await glue.default();
  const round = () => {
    erp.check(file("broken-sums.xml"));
    erp.check(file("broken-xml.xml"));
    erp.check(pdf("hybrid-facturx-en16931.pdf"));
    erp.readInvoice(file("valid.xml"));
    refused(() => erp.check(pdf("a3b.pdf")), "no_invoice");
  };
  for (let at = 0; at < 10; at += 1) round();
  const before = memory.buffer.byteLength;
  for (let at = 0; at < 500; at += 1) round();
  assert.equal(memory.buffer.byteLength, before);
});
