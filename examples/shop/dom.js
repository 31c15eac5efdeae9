// Elements, and texts as the language of the page writes them.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "scope") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

/** A link that is seen when it has the focus, past what is between. */
export function skip(text, go) {
  const pass = (event) => {
    event.preventDefault();
    go();
  };
  return element("a", { className: "skip", href: "#", textContent: text, onclick: pass });
}

/** Saves a file of the person's. */
export function save(file, name) {
  const href = URL.createObjectURL(file);
  element("a", { href, download: name }).click();
  // The browser reads it later.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** A part of a page with a head; `parts` that are missing are left out. */
export const card = (title, ...parts) =>
  element("section", { className: "card" }, element("h2", { textContent: title }), ...parts);

/** What is shown in place of nothing: why, and the way on. */
export const nothing = (text, href, way) =>
  element("div", { className: "nothing" }, element("p", { className: "lead", textContent: text }), element("a", { className: "button main", href, textContent: way }));

export const find = (selector) => document.querySelector(selector);

const locale = () => (document.documentElement.lang === "de" ? "de-CH" : "en-GB");

export function money(amount, currency) {
  const text = new Intl.NumberFormat(locale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  }).format(amount);
  // A no-break space: the two are one.
  return currency ? `${currency}\u00a0${text}` : text;
}

export const number = (value) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(value);

export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} ${units[at]}`;
}

export function day(date) {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "long", timeZone: "UTC" }).format(date);
}

export function time(text) {
  const format = { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(locale(), format).format(new Date(text));
}

/**
 * A table with column heads; `kinds` are classes of the columns. On a phone each row becomes a block, where cells
 * name their column; roles keep it a table for who listens.
 */
export function table(caption, heads, rows, kinds = [], className = "") {
  const head = heads.map((text, at) =>
    element("th", { scope: "col", role: "columnheader", textContent: text, className: kinds[at] ?? "" }),
  );
  const lines = rows.map((cells) =>
    element(
      "tr",
      { role: "row" },
      ...cells.map((cell, at) => {
        const made = element("td", { role: "cell", className: kinds[at] ?? "", "data-head": heads[at] });
        made.append(...[cell ?? ""].flat());
        return made;
      }),
    ),
  );
  const made = element(
    "table",
    { role: "table" },
    element("caption", { className: "unseen", textContent: caption }),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)),
    element("tbody", { role: "rowgroup" }, ...lines),
  );
  return element(
    "div",
    { className: `scroll ${className}`.trim(), role: "region", tabIndex: 0, "aria-label": caption },
    made,
  );
}

/** A text as the beginning of a sentence or line. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Names with their values; empty values are left out. */
export function facts(pairs, className = "facts") {
  const kept = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return element(
    "dl",
    { className },
    ...kept.map(([name, value]) => {
      const told = element("dd");
      told.append(...[value].flat());
      return element("div", {}, element("dt", { textContent: name }), told);
    }),
  );
}
