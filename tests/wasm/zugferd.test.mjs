// Invoice PDFs in node: the same bytes as from native code, errors, memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as erp from "../../erp-wasm/dist/zugferd.js";
import * as glue from "../../erp-wasm/dist/wasm/zugferd/erp_wasm.js";
import { fixtures, invoiceFile, nativeInvoices, read } from "./paths.mjs";
import { compared, growth, ratios } from "./zugferd.mjs";

const file = (name) => new Uint8Array(readFileSync(new URL(name, fixtures)));
const pages = file("a3b.pdf");
const invoice = file("xml/facturx-en16931.xml");

const refused = (call, code, check = () => {}) => {
  assert.throws(call, (error) => {
    assert.ok(error instanceof erp.ErpError && error instanceof Error);
    assert.equal(error.code, code);
    assert.ok(error.message.length > 0);
    check(error);
    return true;
  });
};

test("before the start every function says so", async () => {
  refused(() => erp.version(), "not_ready");
  refused(() => erp.zugferdCombine(pages, invoice), "not_ready");
  refused(() => erp.zugferdExtract(pages), "not_ready");
  refused(() => erp.zugferdInspect(pages), "not_ready");
  await erp.init();
  assert.equal(erp.version(), JSON.parse(read("package.json")).version);
});

test("every file becomes what native code makes of it", async (context) => {
  const manifest = nativeInvoices();
  assert.ok(manifest.cases.length > 300);
  assert.ok(manifest.cases.filter(({ done }) => done).length > 200);
  const { different, times } = await compared(manifest, glue, invoiceFile);
  for (const line of ratios(times)) context.diagnostic(line);
  assert.deepEqual(different, []);
});

test("an invoice goes in, is told, and comes out", () => {
  const combined = erp.zugferdCombine(pages, invoice, { now: new Date(0) });
  assert.deepEqual([combined.outcome, combined.reasons], ["kept", []]);
  assert.deepEqual(combined.profile, {
    standard: "Factur-X",
    level: "EN 16931",
    documentType: "INVOICE",
    guideline: "urn:cen.eu:en16931:2017",
  });
  assert.ok(combined.steps.length > 2);
  assert.ok(Buffer.from(combined.pdf).includes("D:19700101000000Z"));
  assert.deepEqual(combined.pdf, erp.zugferdCombine(pages, invoice, { now: 0 }).pdf);
  const extracted = erp.zugferdExtract(combined.pdf);
  assert.deepEqual(extracted.xml, invoice);
  assert.deepEqual([extracted.fileName, extracted.relationship], ["factur-x.xml", "Alternative"]);
  assert.deepEqual(extracted.conformance.pdfa, { part: "3", conformance: "B" });
  const told = erp.zugferdInspect(combined.pdf);
  assert.deepEqual([told.pages, told.pdfa_faults, told.attachments.length], [1, [], 1]);
});

test("the time is now when none is given", () => {
  const year = new Date().getUTCFullYear();
  assert.ok(Buffer.from(erp.zugferdCombine(pages, invoice).pdf).includes(`D:${year}`));
});

test("one of several invoices can be named", () => {
  const two = file("odd-two-invoices.pdf");
  const [{ fileName }] = erp.zugferdExtract(two).others;
  assert.equal(erp.zugferdExtract(two, { fileName }).fileName, fileName);
});

test("what cannot be done is told", () => {
  const plain = file("plain-helvetica.pdf");
  const { outcome, reasons } = erp.zugferdCombine(plain, invoice);
  assert.deepEqual([outcome, reasons[0].clause], ["not-claimed", "6.2.11.4.1"]);
  refused(() => erp.zugferdCombine(plain, invoice, { requirePdfa: true }), "not_pdfa", (error) => {
    assert.deepEqual(error.reasons, reasons);
  });
  refused(() => erp.zugferdExtract(file("a3b-attachments.pdf")), "no_invoice", (error) => {
    assert.ok(error.attachments.length > 0);
  });
  refused(() => erp.zugferdExtract(invoice), "not_a_pdf");
  refused(() => erp.zugferdInspect(new Uint8Array()), "not_a_pdf");
  refused(() => erp.zugferdCombine(pages, pages), "not_well_formed");
  refused(() => erp.zugferdCombine(pages, new Uint8Array(17 << 20)), "too_large");
  for (const name of ["owner-only", "user-password"]) {
    const encrypted = file(`enc-aes256-${name}.pdf`);
    refused(() => erp.zugferdExtract(encrypted), "encrypted");
    refused(() => erp.zugferdInspect(encrypted), "encrypted");
    refused(() => erp.zugferdCombine(encrypted, invoice), "encrypted");
  }
});

test("what is not meant is refused", () => {
  for (const odd of [undefined, null, "pdf", 5, [37], new ArrayBuffer(4), {}]) {
    refused(() => erp.zugferdExtract(odd), "malformed");
    refused(() => erp.zugferdInspect(odd), "malformed");
    refused(() => erp.zugferdCombine(pages, odd), "malformed");
  }
  refused(() => erp.zugferdCombine(pages, invoice, { now: new Date(NaN) }), "malformed");
  refused(() => erp.zugferdCombine(pages, invoice, { now: 2 ** 53 - 1 }), "invalid");
  refused(() => erp.zugferdCombine(pages, invoice, { requirePDFA: true }), "invalid", (error) => {
    assert.equal(error.problems[0].path, "options");
  });
});

test("memory is given back", async () => {
  const { memory } = await glue.default();
  assert.equal(growth(erp, memory, pages, invoice), 0);
});
