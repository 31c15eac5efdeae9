/**
 * The check of e-invoices (CII: Factur-X, ZUGFeRD 2, XRechnung; UBL: XRechnung) in the browser, by the rules of
 * EN 16931, and what they say. The module of this entry is loaded by its own `init`. Large files are best checked in a worker.
 *
 * @module erp-wasm/check
 */

import { fileBytes, text, type Source } from "./border.js";
import { Module } from "./module.js";
import type { CheckOptions, CheckReport, InvoiceTerms, ReportOptions } from "./report.js";
import * as glue from "./wasm/check/erp_wasm.js";

const part = new Module(glue, new URL("./wasm/check/erp_wasm_bg.wasm", import.meta.url));

/** Starts the module; everything else needs it first. Calling it again costs nothing. */
export function init(source?: Source | WebAssembly.Module): Promise<void> {
  return part.init(source);
}

/** The version of the package. */
export function version(): string {
  return part.version();
}

/**
 * Checks an invoice: an XML as text or bytes, or the invoice in a PDF. Input that is not an invoice, or not XML, has a
 * finding that says so. The encoding declared in a text is ignored.
 *
 * @throws {ErpError} of PDF files: `damaged`, `encrypted`, `too_large`; `no_invoice` with `attachments`.
 */
export function check(file: string | Uint8Array, options: CheckOptions = {}): CheckReport {
  const told = text(options);
  const given = bytes(file);
  return part.ask((module) => module.checkInvoice(given, told));
}

/**
 * The report of `check` as an HTML document of a few MB at most: verdict, findings by place, and the invoice as people
 * read it, in English or German. It has no script, its style is in one `<style>` element, and it loads nothing. In a
 * page whose policy forbids inline styles show its `<main class="report">` and adopt the text of the `<style>` as a
 * `CSSStyleSheet`.
 *
 * @throws {ErpError} as `check`.
 */
export function reportHtml(file: string | Uint8Array, options: ReportOptions = {}): string {
  const told = text(options);
  const given = bytes(file);
  return part.ask((module) => module.reportHtml(given, told));
}

/**
 * What an invoice says, by the numbers of the terms of EN 16931: an XML (CII, UBL) as text or bytes, or the one in a
 * PDF. Whether it keeps its rules is not looked at.
 *
 * @throws {ErpError} `not_well_formed`, `not_an_invoice`, `too_large`; of PDF files as `check`.
 */
export function readInvoice(file: string | Uint8Array, options: CheckOptions = {}): InvoiceTerms {
  const told = text(options);
  const given = bytes(file);
  return part.ask((module) => module.readInvoice(given, told));
}

const bytes = (file: string | Uint8Array): Uint8Array => (typeof file === "string" ? encoded(file) : fileBytes(file));

const ENCODING = /^(\uFEFF?<\?xml\s[^>]*?)(\sencoding\s*=\s*(?:"[^"]*"|'[^']*'))/;

/** The text in UTF-8. The declared encoding, that of a file, is replaced by spaces, so that columns stay the same. */
function encoded(xml: string): Uint8Array {
  const plain = xml.replace(ENCODING, (_, head: string, named: string) => head + " ".repeat(named.length));
  return new TextEncoder().encode(plain);
}

export type { Source } from "./border.js";
export { ErpError, type ErpErrorCode, type ErpErrorInfo, type PdfaReason, type Problem } from "./error.js";
export type * from "./report.js";
