/**
 * Invoices in PDF files (ZUGFeRD, Factur-X, XRechnung, Order-X): combined, taken out and inspected in the
 * browser. The module of this entry is loaded by its own `init`. Large files are best given to a worker.
 *
 * @module erp-wasm/zugferd
 */

import { fileBytes, text, type Source } from "./border.js";
import { ErpError } from "./error.js";
import type { Combined, CombineOptions, Extracted, ExtractOptions, Inspection } from "./invoices.js";
import { Module } from "./module.js";
import * as glue from "./wasm/zugferd/erp_wasm.js";

const part = new Module(glue, new URL("./wasm/zugferd/erp_wasm_bg.wasm", import.meta.url));

/** Starts the module; everything else needs it first. Calling it again costs nothing. */
export function init(source?: Source | WebAssembly.Module): Promise<void> {
  return part.init(source);
}

/** The version of the package. */
export function version(): string {
  return part.version();
}

/**
 * Embeds an invoice in a PDF. An existing invoice is removed, everything else is kept.
 *
 * @throws {ErpError} `not_a_pdf`, `damaged`, `encrypted`, `too_large`, `not_an_invoice`;
 *   `not_pdfa` with `reasons` when PDF/A is required.
 */
export function zugferdCombine(
  pdf: Uint8Array,
  xml: Uint8Array,
  options: CombineOptions = {},
): Combined {
  const told = text({ ...options, now: instant(options.now ?? Date.now()) });
  const [bytes, answer] = taken<Omit<Combined, "pdf">>((module) =>
    module.zugferdCombine(fileBytes(pdf), fileBytes(xml), told),
  );
  return { pdf: bytes, ...answer };
}

/**
 * Takes the invoice out of a PDF.
 *
 * @throws {ErpError} `not_a_pdf`, `damaged`, `encrypted`, `too_large`; `no_invoice` with `attachments`.
 */
export function zugferdExtract(pdf: Uint8Array, options: ExtractOptions = {}): Extracted {
  const told = text(options);
  const [bytes, answer] = taken<Omit<Extracted, "xml">>((module) =>
    module.zugferdExtract(fileBytes(pdf), told),
  );
  return { xml: bytes, ...answer };
}

/**
 * Describes a PDF and its attachments.
 *
 * @throws {ErpError} `not_a_pdf`, `damaged`, `encrypted`, `too_large`.
 */
export function zugferdInspect(pdf: Uint8Array): Inspection {
  return part.ask((module) => module.zugferdInspect(fileBytes(pdf)));
}

/** Bytes and their description; the module's copy of both is freed. */
function taken<T>(call: (module: typeof glue) => glue.File): [Uint8Array<ArrayBuffer>, T] {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const answer = part.ask<T>((module) => {
    const file = call(module);
    const answer = file.text();
    bytes = file.intoBytes() as Uint8Array<ArrayBuffer>;
    return answer;
  });
  return [bytes ?? new Uint8Array(), answer];
}

function instant(now: Date | number): number {
  const since = Number(now);
  if (Number.isSafeInteger(since)) return since;
  throw new ErpError("malformed", "`now` is no time");
}

export type { Source } from "./border.js";
export { ErpError, type ErpErrorCode, type ErpErrorInfo, type PdfaReason, type Problem } from "./error.js";
export type * from "./invoices.js";
