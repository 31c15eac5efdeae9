import type { ProblemCode } from "./wire.js";

/** One thing that is wrong with an input. */
export interface Problem {
  /** The path in wire names: `Positionen[2].ArtNr`; empty for the input itself. */
  readonly path: string;
  /** A stable word for programs, for example `too_long`. */
  readonly code: ProblemCode;
  /** A sentence for people, in the language that was asked for, otherwise in English. */
  readonly message: string;
  /** The limit that was exceeded, if there is one. */
  readonly limit?: number;
}

/**
 * Why there is no result:
 * - `invalid`: the input breaks rules; all problems are in `problems`;
 * - `malformed`: the input is not JSON;
 * - `not_ready`: `init` (or, for towns, `loadTowns`) has not finished;
 * - `load`: a file of the package could not be loaded;
 * - `internal`: the module failed; reload the page and report it.
 *
 * And for invoices and PDF files:
 * - `not_a_pdf`, `damaged`: the file is not a PDF, or cannot be read;
 * - `encrypted`: the PDF is encrypted; only the server and its command line read such files;
 * - `too_large`: the file, or its decompressed content, is larger than allowed;
 * - `not_an_invoice`: the XML is not an invoice that can be embedded;
 * - `not_well_formed`: the XML is not well-formed, with line and column;
 * - `no_invoice`: the PDF has no invoice; its attachments are in `attachments`;
 * - `not_pdfa`: PDF/A is required but not possible; see `reasons`.
 */
export type ErpErrorCode =
  | "invalid"
  | "malformed"
  | "not_ready"
  | "load"
  | "internal"
  | "not_a_pdf"
  | "damaged"
  | "encrypted"
  | "too_large"
  | "not_an_invoice"
  | "not_well_formed"
  | "no_invoice"
  | "not_pdfa";

/** A reason against PDF/A-3. */
export interface PdfaReason {
  /** A sentence for people, in English, with page, object and clause. */
  readonly message: string;
  /** The clause of ISO 19005-3, if there is one. */
  readonly clause: string | null;
  /** From 1. */
  readonly page: number | null;
  /** The number of the object in the PDF. */
  readonly object: number | null;
}

/** Details of an error besides its message. */
export interface ErpErrorInfo {
  /** With `invalid`: everything that is wrong with the input. */
  readonly problems?: readonly Problem[];
  /** With `not_pdfa`: the reasons against PDF/A. */
  readonly reasons?: readonly PdfaReason[];
  /** With `no_invoice`: the names of the attachments. */
  readonly attachments?: readonly string[];
}

/** The error that every function of this package throws. */
export class ErpError extends Error {
  override readonly name = "ErpError";
  /** A stable word for programs. */
  readonly code: ErpErrorCode;
  /** Everything that is wrong with the input; empty unless `code` is `invalid`. */
  readonly problems: readonly Problem[];
  /** The reasons against PDF/A; empty unless `code` is `not_pdfa`. */
  readonly reasons: readonly PdfaReason[];
  /** The names of the attachments; empty unless `code` is `no_invoice`. */
  readonly attachments: readonly string[];

  /** Used by the package; other programs rarely need it. */
  constructor(code: ErpErrorCode, message: string, info: ErpErrorInfo = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.problems = info.problems ?? [];
    this.reasons = info.reasons ?? [];
    this.attachments = info.attachments ?? [];
  }
}
