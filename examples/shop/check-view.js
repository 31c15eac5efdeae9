// The report of a check: one sentence about it, and the report itself.

import { element } from "./dom.js";
import { words } from "./language.js";

const starts = (report, rule) => report?.findings[0]?.rule === rule;

/** Whether it is not well-formed. */
export const isNotXml = (report) => starts(report, "ERP-XML");

/** One sentence about a report. */
export function verdict(report) {
  if (starts(report, "ERP-CII")) return words().not_checked;
  const { fatal, warnings: warning, information } = report;
  const counts = Object.entries({ fatal, warning, information }).map(([severity, count]) => count > 0 && words().findings[severity](count));
  return words()[report.valid ? "is_valid" : "is_invalid"](counts.filter(Boolean).join(", "));
}

/** The style of reports, which they all have in common. */
let style;

/**
 * A report of the package in this page. The policy of the page forbids styles in its text, so the page adopts that of the report;
 * and the address belongs to the page, so links inside the report do not change it.
 */
export function reportCard(html) {
  const [, rules, content] = /<style>(.*?)<\/style>.*?<main class="report">\n<h1>.*?<\/h1>(.*)<\/main>/s.exec(html);
  if (style === undefined) {
    style = new CSSStyleSheet();
    style.replaceSync(rules);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
  }
  const parts = new DOMParser().parseFromString(content, "text/html").body.children;
  const report = element("div", { className: "report" }, ...parts);
  report.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const target = report.querySelector(link.hash);
    target.tabIndex = -1;
    target.focus();
  });
  return element("section", { className: "card" }, report);
}
