/** Options of `check`. */
export interface CheckOptions {
  /** The attachment to check in a PDF with several invoices; default: by the metadata, else the newest standard. */
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
