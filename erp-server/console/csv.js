// Rows as a file for a spreadsheet.

const BYTE_ORDER_MARK = "\u{feff}";

/**
 * Whether a spreadsheet of this place writes 12,50: on a German page, but not in Switzerland and Liechtenstein. The region is
 * that of the browser's language; many Swiss browsers are set to German without one, so the time zone counts, too.
 */
export function writesComma(page, { region }, zone) {
  return page === "de" && !["CH", "LI"].includes(region) && !["Europe/Zurich", "Europe/Vaduz"].includes(zone);
}

/** A text that no spreadsheet takes for a formula, in quotes where it needs them. */
function cell(value, comma) {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return comma ? String(value).replace(".", ",") : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A CSV file in UTF-8, with semicolons. Days are written as `2026-12-31`, which all spreadsheets read. A column is `[head, value]`. */
export function csv(columns, rows) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const comma = writesComma(document.documentElement.lang, new Intl.Locale(navigator.language), zone);
  const line = (cells) => `${cells.map((value) => cell(value, comma)).join(";")}\r\n`;
  const lines = rows.map((row) => line(columns.map(([, value]) => value(row))));
  return new Blob([BYTE_ORDER_MARK, line(columns.map(([head]) => head)), ...lines], { type: "text/csv;charset=utf-8" });
}
