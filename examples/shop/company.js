// Who sells here, and what the first page shows. The interface does not name the company to a shop: a shop of your own
// writes its own here.

export const COMPANY = {
  name: "Muster & Söhne AG",
  lines: ["Musterstrasse 12", "CH 8004 Zürich"],
  vat: "CHE-123.456.788 MWST",
};

/**
 * The words of the button that orders. Consumers in Germany and Austria must read that it obliges to pay, else there is no
 * contract; a language that is left out has "Bestellen" or "Place the order".
 */
export const ORDER_BUTTON = { de: "Zahlungspflichtig bestellen", en: "Order with obligation to pay" };

/** The addresses of the pages that the law asks of a shop, for the foot of each page; what is empty is not shown. */
export const LEGAL = { imprint: "", terms: "", privacy: "", withdrawal: "" };

/** Articles of the first page, the first one large; those that a customer may not see are left out. */
export const FEATURED = ["BU-1013", "LM-3001", "EL-2003", "AB-4006"];
