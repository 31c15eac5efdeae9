// An invoice as plain values: Cross Industry Invoice (Factur-X and ZUGFeRD 2, XRechnung, ZUGFeRD 1, Order-X), whose
// elements differ in a few names, and UBL. Their meaning is in EN 16931 under the business terms next to them.

const one = (node, ...names) =>
  node && [...node.children].find((child) => names.includes(child.localName));

const all = (node, name) => (node ? [...node.children].filter((child) => child.localName === name) : []);

/** Follows a path; a step may be several names. */
const at = (node, ...path) => path.reduce((here, step) => one(here, ...[step].flat()), node);

const text = (node, ...path) => at(node, ...path)?.textContent.trim() || undefined;

function amount(node, ...path) {
  const value = text(node, ...path);
  return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value);
}

/** Dates are written `20260131` (format 102), in UBL with hyphens. */
function day(node, ...path) {
  const digits = text(node, ...path);
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(digits?.replaceAll("-", "") ?? "") ?? [];
  return year === undefined ? undefined : new Date(Date.UTC(year, month - 1, day));
}

const date = (node, ...path) => day(node, ...path, ["DateTimeString", "DateString"]);

function party(node) {
  if (!node) return undefined;
  const place = at(node, "PostalTradeAddress");
  const town = [text(place, "CountryID"), text(place, "PostcodeCode"), text(place, "CityName")];
  const streets = ["LineOne", "LineTwo", "LineThree"].map((name) => text(place, name));
  const taxes = all(node, "SpecifiedTaxRegistration").map((tax) => at(tax, "ID"));
  const contact = at(node, "DefinedTradeContact");
  return {
    name: text(node, "Name"),
    lines: [...streets, town.filter(Boolean).join(" ")].filter(Boolean),
    vat: taxes.find((id) => id?.getAttribute("schemeID") === "VA")?.textContent.trim(),
    mail: text(contact, "EmailURIUniversalCommunication", "URIID"),
  };
}

function line(node, at_) {
  const agreement = at(node, ["SpecifiedLineTradeAgreement", "SpecifiedSupplyChainTradeAgreement"]);
  const delivery = at(node, ["SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery"]);
  const settlement = at(node, ["SpecifiedLineTradeSettlement", "SpecifiedSupplyChainTradeSettlement"]);
  const quantity = at(delivery, ["BilledQuantity", "RequestedQuantity", "AgreedQuantity"]);
  const price = at(agreement, "NetPriceProductTradePrice");
  const sums = at(settlement, ["SpecifiedTradeSettlementLineMonetarySummation", "SpecifiedTradeSettlementMonetarySummation"]);
  const product = at(node, "SpecifiedTradeProduct");
  return {
    number: text(node, "AssociatedDocumentLineDocument", "LineID") ?? String(at_ + 1),
    name: text(product, "Name") ?? text(node, "AssociatedDocumentLineDocument", "IncludedNote", "Content"),
    article: text(product, "SellerAssignedID"),
    quantity: quantity && amount(quantity.parentNode, quantity.localName),
    unit: quantity?.getAttribute("unitCode") ?? undefined,
    price: amount(price, "ChargeAmount"),
    priceBasis: amount(price, "BasisQuantity"),
    rate: amount(settlement, "ApplicableTradeTax", ["RateApplicablePercent", "ApplicablePercent"]),
    total: amount(sums, "LineTotalAmount"),
  };
}

function tax(node) {
  return {
    rate: amount(node, ["RateApplicablePercent", "ApplicablePercent"]),
    category: text(node, "CategoryCode"),
    basis: amount(node, "BasisAmount"),
    amount: amount(node, "CalculatedAmount"),
    reason: text(node, "ExemptionReason"),
  };
}

/** Line totals are of the whole; the others are BT-106 to BT-115 of EN 16931. */
function totals(settlement) {
  const sums = at(settlement, ["SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation"]);
  return {
    line_total: amount(sums, "LineTotalAmount"),
    charges: amount(sums, "ChargeTotalAmount"),
    allowances: amount(sums, "AllowanceTotalAmount"),
    tax_basis_total: amount(sums, "TaxBasisTotalAmount"),
    tax_total: amount(sums, "TaxTotalAmount"),
    grand_total: amount(sums, "GrandTotalAmount"),
    prepaid: amount(sums, "TotalPrepaidAmount"),
    payable: amount(sums, "DuePayableAmount"),
  };
}

/** The text of an XML file, by its byte order mark or the encoding it names. */
function decoded(bytes) {
  const marks = { "254,255": "utf-16be", "255,254": "utf-16le" };
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const [, named] = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head) ?? [];
  try {
    return new TextDecoder(marks[bytes.subarray(0, 2)] ?? named ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function cii(root) {
  const document = at(root, ["ExchangedDocument", "HeaderExchangedDocument"]);
  const trade = at(root, ["SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction"]);
  if (!document || !trade) return undefined;
  const agreement = at(trade, ["ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement"]);
  const delivery = at(trade, ["ApplicableHeaderTradeDelivery", "ApplicableSupplyChainTradeDelivery"]);
  const settlement = at(trade, ["ApplicableHeaderTradeSettlement", "ApplicableSupplyChainTradeSettlement"]);
  const terms = all(settlement, "SpecifiedTradePaymentTerms");
  const means = at(settlement, "SpecifiedTradeSettlementPaymentMeans");
  return {
    number: text(document, "ID"),
    name: text(document, "Name"),
    type: text(document, "TypeCode"),
    date: date(document, "IssueDateTime"),
    notes: all(document, "IncludedNote").flatMap((note) => text(note, "Content") ?? []),
    currency: text(settlement, ["InvoiceCurrencyCode", "OrderCurrencyCode"]),
    seller: party(at(agreement, "SellerTradeParty")),
    buyer: party(at(agreement, "BuyerTradeParty")),
    shipTo: party(at(delivery, "ShipToTradeParty")),
    reference: text(agreement, "BuyerReference"),
    order: text(agreement, "BuyerOrderReferencedDocument", ["IssuerAssignedID", "ID"]),
    delivered: date(delivery, "ActualDeliverySupplyChainEvent", "OccurrenceDateTime"),
    due: terms.map((term) => date(term, "DueDateDateTime")).find(Boolean),
    terms: terms.map((term) => text(term, "Description")).find(Boolean),
    account: text(means, "PayeePartyCreditorFinancialAccount", ["IBANID", "ProprietaryID"]),
    lines: all(trade, "IncludedSupplyChainTradeLineItem").map(line),
    taxes: all(settlement, "ApplicableTradeTax").map(tax),
    totals: totals(settlement),
  };
}

function ublAddress(place) {
  const town = [text(place, "Country", "IdentificationCode"), text(place, "PostalZone"), text(place, "CityName")];
  const streets = [text(place, "StreetName"), text(place, "AdditionalStreetName"), text(place, "AddressLine", "Line")];
  return [...streets, town.filter(Boolean).join(" ")].filter(Boolean);
}

function ublParty(node) {
  const known = at(node, "Party");
  if (!known) return undefined;
  const vat = all(known, "PartyTaxScheme").find((tax) => text(tax, "TaxScheme", "ID")?.toUpperCase() === "VAT");
  return {
    name: text(known, "PartyLegalEntity", "RegistrationName") ?? text(known, "PartyName", "Name"),
    lines: ublAddress(at(known, "PostalAddress")),
    vat: text(vat, "CompanyID"),
    mail: text(known, "Contact", "ElectronicMail"),
  };
}

function ublLine(node, at_) {
  const quantity = at(node, ["InvoicedQuantity", "CreditedQuantity"]);
  return {
    number: text(node, "ID") ?? String(at_ + 1),
    name: text(node, "Item", "Name"),
    article: text(node, "Item", "SellersItemIdentification", "ID"),
    quantity: amount(node, ["InvoicedQuantity", "CreditedQuantity"]),
    unit: quantity?.getAttribute("unitCode") ?? undefined,
    price: amount(node, "Price", "PriceAmount"),
    priceBasis: amount(node, "Price", "BaseQuantity"),
    rate: amount(node, "Item", "ClassifiedTaxCategory", "Percent"),
    total: amount(node, "LineExtensionAmount"),
  };
}

function ubl(root) {
  const [tax] = all(root, "TaxTotal");
  const delivery = at(root, "Delivery");
  const place = ublAddress(at(delivery, "DeliveryLocation", "Address"));
  const name = text(delivery, "DeliveryParty", "PartyName", "Name");
  const sum = (of) => amount(root, "LegalMonetaryTotal", of);
  return {
    number: text(root, "ID"),
    type: text(root, ["InvoiceTypeCode", "CreditNoteTypeCode"]),
    date: day(root, "IssueDate"),
    notes: all(root, "Note").map((note) => note.textContent.trim()),
    currency: text(root, "DocumentCurrencyCode"),
    seller: ublParty(at(root, "AccountingSupplierParty")),
    buyer: ublParty(at(root, "AccountingCustomerParty")),
    shipTo: name || place.length > 0 ? { name, lines: place } : undefined,
    reference: text(root, "BuyerReference"),
    order: text(root, "OrderReference", "ID"),
    delivered: day(delivery, "ActualDeliveryDate"),
    due: day(root, "DueDate") ?? day(root, "PaymentMeans", "PaymentDueDate"),
    terms: text(root, "PaymentTerms", "Note"),
    account: text(root, "PaymentMeans", "PayeeFinancialAccount", "ID"),
    lines: [...all(root, "InvoiceLine"), ...all(root, "CreditNoteLine")].map(ublLine),
    taxes: all(tax, "TaxSubtotal").map((one) => ({
      rate: amount(one, "TaxCategory", "Percent"),
      category: text(one, "TaxCategory", "ID"),
      basis: amount(one, "TaxableAmount"),
      amount: amount(one, "TaxAmount"),
      reason: text(one, "TaxCategory", "TaxExemptionReason"),
    })),
    totals: {
      line_total: sum("LineExtensionAmount"),
      charges: sum("ChargeTotalAmount"),
      allowances: sum("AllowanceTotalAmount"),
      tax_basis_total: sum("TaxExclusiveAmount"),
      tax_total: amount(tax, "TaxAmount"),
      grand_total: sum("TaxInclusiveAmount"),
      prepaid: sum("PrepaidAmount"),
      payable: sum("PayableAmount"),
    },
  };
}

/** The invoice or order in the bytes of an XML file; nothing when they are another document, or not XML. */
export function readInvoice(bytes) {
  const parsed = new DOMParser().parseFromString(decoded(bytes), "application/xml");
  if (parsed.querySelector("parsererror")) return undefined;
  const root = parsed.documentElement;
  return ["Invoice", "CreditNote"].includes(root.localName) ? ubl(root) : cii(root);
}
