// Who sells here, and what the first page shows. The interface does not name the company to a shop: a shop of your own
// writes its own here.

export const COMPANY = {
  name: "Muster & Söhne AG",
  lines: ["Musterstrasse 12", "CH 8004 Zürich"],
  vat: "CHE-123.456.788 MWST",
};

/** Articles of the first page, the first one large; those that a customer may not see are left out. */
export const FEATURED = ["BU-1013", "LM-3001", "EL-2003", "AB-4006"];
