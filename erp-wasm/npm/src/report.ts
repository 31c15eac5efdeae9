/** Options of `check` and `readInvoice`. */
export interface CheckOptions {
  /** The attachment to take of a PDF with several invoices; default: by the metadata, else the newest standard. */
  readonly fileName?: string;
}

/** Options of `reportHtml`. */
export interface ReportOptions extends CheckOptions {
  /** The language of the report; default: English. */
  readonly language?: "en" | "de";
  /** Its heading, for example the name of the file; default: the name of the attachment, or `XML`. */
  readonly name?: string;
}

/** The severity of a finding: only a `fatal` one makes an invoice invalid. */
export type CheckSeverity = "fatal" | "warning" | "information";

/** A rule that an invoice breaks, at one place. */
export interface CheckFinding {
  /**
   * The official id, for example `BR-CO-10`, or an id for what the official rules do not cover: `ERP-STRUCTURE` (not the
   * structure of its schema), `ERP-XML` (not well-formed), `ERP-CII` (another document), `ERP-VALUE` (a value that stops the official rules), `ERP-LIMIT` (too
   * much work).
   */
  readonly rule: string;
  /** The rule set it belongs to, as in `rules` of the report, or its `structure`; empty if it is from none. */
  readonly source: string;
  /** Other rule sets of the report with the same finding, which is listed and counted once. */
  readonly also: readonly string[];
  /** The severity. */
  readonly severity: CheckSeverity;
  /** The element, as an XPath with the prefixes `rsm`, `ram`, `udt`, `qdt` (CII) or `ubl`, `cn`, `cac`, `cbc`, `ext` (UBL); `[1]` is left out. */
  readonly path: string;
  /** The line of the element in the XML, from 1. */
  readonly line: number;
  /** The business terms and groups of EN 16931 (`BT-…`, `BG-…`). */
  readonly terms: readonly string[];
  /** The message in English, with the contradicting values. */
  readonly en: string;
  /** The same in German. */
  readonly de: string;
}

/** The result of `check`. */
export interface CheckReport {
  /** Whether there is no fatal finding, of the structure or of a rule. */
  readonly valid: boolean;
  /**
   * The schema whose structure (order and number of elements, attributes, types of values) was checked; `not checked`
   * for a document that is not an invoice.
   */
  readonly structure: string;
  /** The guideline (BT-24) as found; `null` when there is none. */
  readonly profile: string | null;
  /** The rule sets that were checked, with their releases; empty for a document that is not an invoice. */
  readonly rules: readonly string[];
  /** The number of fatal findings. */
  readonly fatal: number;
  /** The number of warnings. */
  readonly warnings: number;
  /** The number of informational findings. */
  readonly information: number;
  /** In the order of the document; the first 10,000. */
  readonly findings: readonly CheckFinding[];
  /** The attachment of the PDF that was checked; `null` for an XML. */
  readonly fileName: string | null;
}

/** Terms of EN 16931 as texts, by their numbers. */
export type Terms<Numbers extends number | string> = { readonly [term in `BT-${Numbers}`]?: string };

/** A line of an invoice: its terms, classes of its item, allowances, charges and attributes. */
export interface InvoiceLine
  extends Terms<126 | 127 | 128 | "128-1" | 129 | 130 | 131 | 132 | 133 | 134 | 135 | 146 | 147 | 148 | 149 | 150 | 151 | 152>,
    Terms<153 | 154 | 155 | 156 | 157 | "157-1" | 159> {
  readonly "BT-158"?: readonly Terms<158 | "158-1" | "158-2">[];
  /** Allowances. */
  readonly "BG-27"?: readonly Terms<136 | 137 | 138 | 139 | 140>[];
  /** Charges. */
  readonly "BG-28"?: readonly Terms<141 | 142 | 143 | 144 | 145>[];
  /** Attributes of the item. */
  readonly "BG-32"?: readonly Terms<160 | 161>[];
}

/**
 * The result of `readInvoice`: terms of the document and its payment, and groups. Codes are codes, days `2026-01-31`,
 * numbers have the digits of the invoice. Amounts are in the currency `BT-5`, `BT-111` in `BT-6`; one that names another is
 * followed by it (`12.00 USD`). What is missing has no member.
 */
export interface InvoiceTerms
  extends Terms<1 | 2 | 3 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | "18-1" | 19 | 20 | 23 | 24>,
    Terms<73 | 74 | 83 | 89 | 90> {
  /** What it is written in. */
  readonly syntax: "CII" | "UBL";
  /** Notes. */
  readonly "BG-1"?: readonly Terms<21 | 22>[];
  /** Preceding invoices. */
  readonly "BG-3"?: readonly Terms<25 | 26>[];
  /** The seller. */
  readonly "BG-4"?: Terms<27 | 28 | 30 | "30-1" | 31 | 32 | 33 | 34 | "34-1" | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 162> & {
    readonly "BT-29"?: readonly Terms<29 | "29-1">[];
  };
  /** The buyer. */
  readonly "BG-7"?: Terms<44 | 45 | 47 | "47-1" | 48 | 49 | "49-1" | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 163> & {
    readonly "BT-46"?: readonly Terms<46 | "46-1">[];
  };
  /** The payee. */
  readonly "BG-10"?: Terms<59 | 61 | "61-1"> & { readonly "BT-60"?: readonly Terms<60 | "60-1">[] };
  /** The tax representative of the seller. */
  readonly "BG-11"?: Terms<62 | 63 | 64 | 65 | 66 | 67 | 68 | 69 | 164>;
  /** The delivery. */
  readonly "BG-13"?: Terms<70 | 72 | 75 | 76 | 77 | 78 | 79 | 80 | 165> & { readonly "BT-71"?: readonly Terms<71 | "71-1">[] };
  /** Means of payment, each with its account. */
  readonly "BG-16"?: readonly Terms<81 | 82 | 84 | 85 | 86 | 87 | 88 | 91>[];
  /** Allowances. */
  readonly "BG-20"?: readonly Terms<92 | 93 | 94 | 95 | 96 | 97 | 98>[];
  /** Charges. */
  readonly "BG-21"?: readonly Terms<99 | 100 | 101 | 102 | 103 | 104 | 105>[];
  /** Totals. */
  readonly "BG-22"?: Terms<106 | 107 | 108 | 109 | 110 | 111 | 112 | 113 | 114 | 115>;
  /** VAT by category and rate. */
  readonly "BG-23"?: readonly Terms<116 | 117 | 118 | 119 | 120 | 121>[];
  /** Supporting documents, without the content of their files. */
  readonly "BG-24"?: readonly Terms<122 | 123 | 124 | "125-1" | "125-2">[];
  /** Lines. */
  readonly "BG-25"?: readonly InvoiceLine[];
}
