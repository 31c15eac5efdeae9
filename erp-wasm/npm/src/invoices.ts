import type { PdfaReason } from "./error.js";

/** Options of `zugferdCombine`. */
export interface CombineOptions {
  /** The time of change that is written; default: now. A number is in milliseconds, as from `Date.now()`. */
  readonly now?: Date | number;
  /** Refuse (`not_pdfa`) when the result cannot be PDF/A-3. */
  readonly requirePdfa?: boolean;
}

/** Options of `zugferdExtract`. */
export interface ExtractOptions {
  /** The attachment to extract if there are several invoices; default: the one of the newest standard. */
  readonly fileName?: string;
}

/** What an invoice or order is. */
export interface InvoiceProfile {
  /** The standard that the guideline belongs to. */
  readonly standard:
    | "ZUGFeRD RC"
    | "ZUGFeRD 1.0"
    | "ZUGFeRD 2.0"
    | "Factur-X"
    | "XRechnung"
    | "Order-X";
  /** How much of the standard it uses, as the standard names it. */
  readonly level:
    | "MINIMUM"
    | "BASIC WL"
    | "BASIC"
    | "COMFORT"
    | "EN 16931"
    | "EXTENDED"
    | "XRECHNUNG";
  /** What kind of document it is. */
  readonly documentType: "INVOICE" | "ORDER" | "ORDER_RESPONSE" | "ORDER_CHANGE";
  /** The guideline (BT-24) as found. */
  readonly guideline: string;
}

/**
 * Whether the result is PDF/A-3: it already was (`kept`), it was PDF/A-1 or 2 (`upgraded`), it was repaired
 * (`lifted`), or it is not declared as PDF/A, for the given `reasons`.
 */
export type PdfaOutcome = "kept" | "upgraded" | "lifted" | "not-claimed";

/** The result of `zugferdCombine`. */
export interface Combined {
  /** The PDF with the invoice. */
  readonly pdf: Uint8Array<ArrayBuffer>;
  /** Whether it is PDF/A-3. */
  readonly outcome: PdfaOutcome;
  /** The reasons against PDF/A; empty unless `outcome` is `not-claimed`. */
  readonly reasons: readonly PdfaReason[];
  /** The profile of the invoice. */
  readonly profile: InvoiceProfile;
  /** What was done, in English, one line each. */
  readonly steps: readonly string[];
}

/** The result of `zugferdExtract`. */
export interface Extracted {
  /** The bytes as they are embedded. */
  readonly xml: Uint8Array<ArrayBuffer>;
  /** The name of the attachment. */
  readonly fileName: string;
  /** `null` when the guideline is not known. */
  readonly profile: InvoiceProfile | null;
  /** `AFRelationship`: `Data`, `Alternative` and the like. */
  readonly relationship: string | null;
  /** The invoice in the metadata; `null` if there are no readable ones. */
  readonly conformance: {
    readonly pdfa: { readonly part: string | null; readonly conformance: string | null } | null;
    readonly invoices: readonly {
      readonly standard: InvoiceProfile["standard"];
      readonly documentType: string | null;
      readonly fileName: string | null;
      readonly version: string | null;
      readonly level: string | null;
    }[];
  } | null;
  /** Other invoices that are attached. */
  readonly others: readonly {
    readonly fileName: string;
    readonly standard: InvoiceProfile["standard"];
    readonly profile: InvoiceProfile | null;
  }[];
  /** What was done, in English, one line each. */
  readonly steps: readonly string[];
}

/** The result of `zugferdInspect`, with the members of `erp-server zugferd inspect --json`. */
export interface Inspection {
  /** The size of the file. */
  readonly bytes: number;
  /** The version of PDF, for example `1.7`. */
  readonly version: string;
  /** The number of pages; `null` when they cannot be counted. */
  readonly pages: number | null;
  /** Always `null`: encrypted files are refused. */
  readonly encryption: null;
  /** Whether it declares signatures. */
  readonly signed: boolean;
  /** How its newest cross-reference section is written; `rebuilt` when it was broken. */
  readonly cross_reference: "table" | "stream" | "rebuilt";
  /** The number of its revisions. */
  readonly sections: number;
  /** The PDF/A identification in its metadata; `null` if there is none. */
  readonly pdfa_claim: { readonly part: string | null; readonly conformance: string | null } | null;
  /** The violations of PDF/A-3b; empty if there are none. */
  readonly pdfa_faults: readonly string[];
  /** The reason why the list of violations is incomplete, if it is. */
  readonly pdfa_unchecked: string | null;
  /** The attachments, with the details of those that are invoices. */
  readonly attachments: readonly {
    readonly file_name: string;
    readonly bytes: number | null;
    readonly relationship: string | null;
    readonly media_type: string | null;
    readonly associated: boolean;
    readonly on_page: boolean;
    readonly invoice: {
      readonly standard: InvoiceProfile["standard"];
      readonly level: InvoiceProfile["level"] | null;
      readonly document_type: InvoiceProfile["documentType"] | null;
      readonly guideline: string | null;
    } | null;
  }[];
  /** The invoices named in its metadata. */
  readonly metadata_invoices: readonly {
    readonly standard: InvoiceProfile["standard"];
    readonly document_type: string | null;
    readonly file_name: string | null;
    readonly version: string | null;
    readonly level: string | null;
  }[];
}
