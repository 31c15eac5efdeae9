// Rows as a file for a spreadsheet.

const BYTE_ORDER_MARK = "\u{feff}";

/** A text that no spreadsheet takes for a formula, in quotes where it needs them. */
function cell(value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A CSV file in UTF-8, with semicolons. A column is `[head, value]`. */
export function csv(columns, rows) {
  const line = (cells) => `${cells.map(cell).join(";")}\r\n`;
  const lines = rows.map((row) => line(columns.map(([, value]) => value(row))));
  return new Blob([BYTE_ORDER_MARK, line(columns.map(([head]) => head)), ...lines], { type: "text/csv;charset=utf-8" });
}
