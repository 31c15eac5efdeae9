// Elements of the page. Data become text nodes and attributes, never markup.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "scope") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return made;
}

export const find = (selector, below = document) => below.querySelector(selector);

export const link = (href, text) => element("a", { href, textContent: text });

export const paragraph = (text, className = "") => element("p", { className, textContent: text });

/** A line that tells, also to who listens, how something goes. */
export const news = (className = "state") => element("p", { className, role: "status" });

/** A text of at most so many letters. */
export const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** A short word on a coloured ground; `kind` is `good`, `wrong` or nothing. */
export const badge = (text, kind = "") => element("span", { className: `badge ${kind}`, textContent: text });

export const code = (text) => element("code", { textContent: text });

/** A card with a heading. */
export function card(title, ...children) {
  return element("section", { className: "card" }, element("h2", { textContent: title }), ...children);
}

/** The heading of a screen, with a line of explanation. */
export function heading(title, about, ...actions) {
  document.title = `${title} · erp`;
  const head = element("h1", { textContent: title, tabIndex: -1 });
  return element(
    "div",
    { className: "heading" },
    element("div", {}, head, about ? paragraph(about, "lead") : undefined),
    actions.length > 0 ? element("div", { className: "actions" }, ...actions) : undefined,
  );
}
