/**
 * The check of e-invoices (Cross Industry Invoice: Factur-X, ZUGFeRD 2, XRechnung) in the browser, by the rules of
 * EN 16931. The module of this entry is loaded by its own `init`. Large files are best given to a worker.
 *
 * @module erp-wasm/check
 */

import { fileBytes, text, type Source } from "./border.js";
import { Module } from "./module.js";
import type { CheckOptions, CheckReport } from "./report.js";
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
 * Checks an invoice: an XML as text or bytes, or the invoice in a PDF. What is no invoice, or not XML at all, has a
 * finding that says so. Of a text the encoding that it names does not count.
 *
 * @throws {ErpError} of PDF files: `damaged`, `password_needed`, `too_large`; `no_invoice` with `attachments`.
 */
export function check(file: string | Uint8Array, options: CheckOptions = {}): CheckReport {
  const bytes = typeof file === "string" ? encoded(file) : fileBytes(file);
  const told = text(options);
  return part.ask((module) => module.checkInvoice(bytes, told));
}

const ENCODING = /^(\uFEFF?<\?xml\s[^>]*?)(\sencoding\s*=\s*(?:"[^"]*"|'[^']*'))/;

/** The text in UTF-8. The encoding it names was that of a file; spaces in its place keep columns as they are. */
function encoded(xml: string): Uint8Array {
  const plain = xml.replace(ENCODING, (_, head: string, named: string) => head + " ".repeat(named.length));
  return new TextEncoder().encode(plain);
}

export type { Source } from "./border.js";
export { ErpError, type ErpErrorCode, type ErpErrorInfo, type PdfaReason, type Problem } from "./error.js";
export type * from "./report.js";
