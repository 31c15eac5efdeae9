/** How `check` works. */
export interface CheckOptions {
  /** The attachment to check where a PDF has several invoices; without it the one its metadata name, else the newest standard. */
  readonly fileName?: string;
}

/** How grave a finding is: only a `fatal` one makes an invoice invalid. */
export type CheckSeverity = "fatal" | "warning" | "information";

/** A rule that an invoice breaks, at one place. */
export interface CheckFinding {
  /**
   * The official id, as `BR-CO-10`, or what the official rules have no verdict on: `ERP-XML` (not well-formed), `ERP-CII`
   * (another document), `ERP-VALUE` (a value that stops the official rules), `ERP-LIMIT` (too much work).
   */
  readonly rule: string;
  /** The rules it belongs to, as in `rules` of the report; empty for what no rules found. */
  readonly source: string;
  /** Other rules of the report that have it too: it is listed and counted once. */
  readonly also: readonly string[];
  /** How grave it is. */
  readonly severity: CheckSeverity;
  /** The element, as an XPath with the prefixes `rsm`, `ram`, `udt` and `qdt`; `[1]` is left out. */
  readonly path: string;
  /** The line of the element in the XML, from 1. */
  readonly line: number;
  /** The business terms and groups of EN 16931 (`BT-…`, `BG-…`). */
  readonly terms: readonly string[];
  /** What is wrong, with the values that disagree, in English. */
  readonly en: string;
  /** The same in German. */
  readonly de: string;
}

/** The result of `check`. */
export interface CheckReport {
  /** Whether nothing fatal was found. */
  readonly valid: boolean;
  /** `not checked`: the order and number of the elements. */
  readonly structure: string;
  /** The guideline (BT-24) as found; `null` when there is none. */
  readonly profile: string | null;
  /** The rules that were judged, with their releases; empty for what is no invoice. */
  readonly rules: readonly string[];
  /** The number of fatal findings. */
  readonly fatal: number;
  /** The number of warnings. */
  readonly warnings: number;
  /** The number of findings that only inform. */
  readonly information: number;
  /** In the order of the document; the first 10,000. */
  readonly findings: readonly CheckFinding[];
  /** The attachment of the PDF that was checked; `null` for an XML. */
  readonly fileName: string | null;
}
