import type { PdfaReason } from "./error.js";

/** How `zugferdCombine` goes about it. */
export interface CombineOptions {
  /** The time of change that is written; now when left out. A number is that of `Date.now()`. */
  readonly now?: Date | number;
  /** Refuse (`not_pdfa`) when the result cannot be PDF/A-3. */
  readonly requirePdfa?: boolean;
  /** Take off an encryption that opens without a password; a PDF/A must not be encrypted. */
  readonly decrypt?: boolean;
}

/** How `zugferdExtract` goes about it. */
export interface ExtractOptions {
  /** The attachment to take where there are several invoices; without it the newest standard wins. */
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
 * Whether the result is PDF/A-3: it was and is (`kept`), it was PDF/A-1 or 2 (`upgraded`), it lacked what
 * could be added (`lifted`), or it makes no claim, for the `reasons` told.
 */
export type PdfaOutcome = "kept" | "upgraded" | "lifted" | "not-claimed";

/** The answer of `zugferdCombine`. */
export interface Combined {
  /** The PDF with the invoice. */
  readonly pdf: Uint8Array<ArrayBuffer>;
  /** Whether it is PDF/A-3. */
  readonly outcome: PdfaOutcome;
  /** What stands against PDF/A; empty unless `outcome` is `not-claimed`. */
  readonly reasons: readonly PdfaReason[];
  /** What the invoice is. */
  readonly profile: InvoiceProfile;
  /** What was done, in English, one line each. */
  readonly steps: readonly string[];
}

/** The answer of `zugferdExtract`. */
export interface Extracted {
  /** The bytes as they are embedded. */
  readonly xml: Uint8Array<ArrayBuffer>;
  /** The name of the attachment. */
  readonly fileName: string;
  /** `null` when the guideline is not known. */
  readonly profile: InvoiceProfile | null;
  /** `AFRelationship`: `Data`, `Alternative` and the like. */
  readonly relationship: string | null;
  /** What the metadata say; `null` when there are none that can be read. */
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
    readonly standard: InvoiceProfile["standard"] | null;
    readonly profile: InvoiceProfile | null;
  }[];
  /** What was done, in English, one line each. */
  readonly steps: readonly string[];
}

/** The answer of `zugferdInspect`, in the words of `erp-server zugferd inspect --json`. */
export interface Inspection {
  /** The size of the file. */
  readonly bytes: number;
  /** The version of PDF, for example `1.7`. */
  readonly version: string;
  /** The number of pages; `null` when they cannot be counted. */
  readonly pages: number | null;
  /** The password that encrypts it; an owner password alone does not keep it from being read. */
  readonly encryption: "owner_password" | "user_password" | null;
  /** Whether it says that it holds signatures. */
  readonly signed: boolean;
  /** How its newest cross-reference section is written; `rebuilt` when it was broken. */
  readonly cross_reference: "table" | "stream" | "rebuilt";
  /** How many times it was saved. */
  readonly sections: number;
  /** What its metadata claim of PDF/A; `null` when nothing. */
  readonly pdfa_claim: { readonly part: string | null; readonly conformance: string | null } | null;
  /** What speaks against PDF/A-3b; empty when nothing does. */
  readonly pdfa_faults: readonly string[];
  /** Why the list of faults is not complete, if it is not. */
  readonly pdfa_unchecked: string | null;
  /** What is attached, with what it says of itself when it is an invoice. */
  readonly attachments: readonly {
    readonly file_name: string;
    readonly bytes: number | null;
    readonly relationship: string | null;
    readonly media_type: string | null;
    readonly associated: boolean;
    readonly on_page: boolean;
    readonly invoice: {
      readonly standard: InvoiceProfile["standard"] | null;
      readonly level: InvoiceProfile["level"] | null;
      readonly document_type: InvoiceProfile["documentType"] | null;
      readonly guideline: string | null;
    } | null;
  }[];
  /** The invoices that its metadata name. */
  readonly metadata_invoices: readonly {
    readonly standard: InvoiceProfile["standard"];
    readonly document_type: string | null;
    readonly file_name: string | null;
    readonly version: string | null;
    readonly level: string | null;
  }[];
}
