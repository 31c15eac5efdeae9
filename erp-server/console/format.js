// Numbers and times as the language of the page writes them.

const locale = () => (document.documentElement.lang === "de" ? "de-CH" : "en-GB");

export function money(amount, currency) {
  if (amount === undefined || amount === null) return "";
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 4 };
  const text = new Intl.NumberFormat(locale(), digits).format(amount);
  return currency ? `${currency} ${text}` : text;
}

/** A price, with the number of units that it is for. */
export const unitPrice = (price, { PosPreisBasis = 1 }, currency) => money(price, currency) + (PosPreisBasis === 1 ? "" : ` / ${number(PosPreisBasis)}`);

export const number = (value) =>
  value === undefined || value === null ? "" : new Intl.NumberFormat(locale(), { maximumFractionDigits: 4 }).format(value);

export function size(bytes) {
  if (bytes === undefined || bytes === null) return "";
  const units = ["B", "kB", "MB", "GB", "TB"];
  const at = units.findLastIndex((_, at) => at === 0 || bytes >= 1000 ** at);
  const value = bytes / 1000 ** at;
  const digits = { maximumFractionDigits: value < 10 && at > 0 ? 1 : 0 };
  return `${new Intl.NumberFormat(locale(), digits).format(value)} ${units[at]}`;
}

/** Microseconds as people read them. */
export const micros = (value) => (value < 1000 ? `${number(value)} µs` : `${number(Math.round(value / 100) / 10)} ms`);

const formatted = (text, format) => (text ? new Intl.DateTimeFormat(locale(), format).format(new Date(text)) : "");

/** A time, in the zone of the browser. */
export const time = (text) => formatted(text, { dateStyle: "medium", timeStyle: "medium" });

/** The day of a time in the zone of the browser, or a date of the calendar, which is the same in all zones. */
export const day = (text) =>
  formatted(text, { dateStyle: "medium", timeZone: /^\d{4}-\d\d-\d\d$/.test(text) ? "UTC" : undefined });

/** The month of a date of the calendar. */
export const month = (text) => formatted(text, { month: "long", year: "numeric", timeZone: "UTC" });

/** A time without its hours where it is the start of a day. */
export function dayOrTime(text) {
  const at = new Date(text);
  return text && at.getHours() + at.getMinutes() === 0 ? day(text) : time(text);
}

/** The zone of the browser, and its offset now. */
export function zone() {
  const format = new Intl.DateTimeFormat(locale(), { timeZoneName: "longOffset" });
  const offset = format.formatToParts().find(({ type }) => type === "timeZoneName").value;
  return `${format.resolvedOptions().timeZone} (${offset.replace("GMT", "UTC")})`;
}

/** The name of a language; its code where nothing is known of it. */
export function language(code) {
  try {
    return new Intl.DisplayNames(locale(), { type: "language" }).of(code);
  } catch {
    return code ?? "";
  }
}

const STEPS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/** A time as seen from now: "3 hours ago". */
export function ago(text) {
  const seconds = (new Date(text).getTime() - Date.now()) / 1000;
  const [unit, length] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? STEPS.at(-1);
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
}

/** A length of time in its largest unit. */
export function duration(seconds) {
  const [unit, length] = STEPS.find(([, length]) => seconds >= length) ?? STEPS.at(-1);
  const style = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 };
  return new Intl.NumberFormat(locale(), style).format(Math.floor(seconds / length));
}
