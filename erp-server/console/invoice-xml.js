// What a person wants to know of an invoice: a few terms of its XML (Cross Industry Invoice, or UBL).

/** The elements of these local names below each other. */
function all(node, path) {
  return path.split("/").reduce(
    (found, name) => found.flatMap((one) => [...one.children].filter((child) => child.localName === name)),
    [node],
  );
}

const first = (node, path) => all(node, path)[0]?.textContent.trim() || undefined;

/** `20260102` as a date of the calendar. */
function date(text) {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text ?? "") ?? [];
  return year === undefined ? text : `${year}-${month}-${day}`;
}

/** The text of an XML file in the encoding it names; a byte order mark takes precedence. */
function decoded(bytes) {
  const marks = { "255,254": "utf-16le", "254,255": "utf-16be" };
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  const named = /^<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(head)?.[1] ?? "utf-8";
  return new TextDecoder(marks[`${bytes.subarray(0, 2)}`] ?? named).decode(bytes);
}

function cii(root) {
  const trade = all(root, "SupplyChainTradeTransaction")[0] ?? root;
  const sums = "ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementHeaderMonetarySummation";
  return {
    number: first(root, "ExchangedDocument/ID"),
    date: date(first(root, "ExchangedDocument/IssueDateTime/DateTimeString")),
    seller: first(trade, "ApplicableHeaderTradeAgreement/SellerTradeParty/Name"),
    buyer: first(trade, "ApplicableHeaderTradeAgreement/BuyerTradeParty/Name"),
    currency: first(trade, "ApplicableHeaderTradeSettlement/InvoiceCurrencyCode"),
    net: first(trade, `${sums}/TaxBasisTotalAmount`),
    tax: first(trade, `${sums}/TaxTotalAmount`),
    total: first(trade, `${sums}/GrandTotalAmount`),
    due: first(trade, `${sums}/DuePayableAmount`),
    lines: all(trade, "IncludedSupplyChainTradeLineItem").map((line) => ({
      name: first(line, "SpecifiedTradeProduct/Name"),
      count: first(line, "SpecifiedLineTradeDelivery/BilledQuantity"),
      price: first(line, "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount"),
      sum: first(line, "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"),
    })),
  };
}

const partyName = (root, role) =>
  first(root, `${role}/Party/PartyLegalEntity/RegistrationName`) ?? first(root, `${role}/Party/PartyName/Name`);

/** An invoice, or a credit note, whose lines and quantities have other names. */
const ubl = (lines, quantity) => (root) => {
  const total = (name) => first(root, `LegalMonetaryTotal/${name}`);
  return {
    number: first(root, "ID"),
    date: first(root, "IssueDate"),
    seller: partyName(root, "AccountingSupplierParty"),
    buyer: partyName(root, "AccountingCustomerParty"),
    currency: first(root, "DocumentCurrencyCode"),
    net: total("TaxExclusiveAmount"),
    tax: first(root, "TaxTotal/TaxAmount"),
    total: total("TaxInclusiveAmount"),
    due: total("PayableAmount"),
    lines: all(root, lines).map((line) => ({
      name: first(line, "Item/Name"),
      count: first(line, quantity),
      price: first(line, "Price/PriceAmount"),
      sum: first(line, "LineExtensionAmount"),
    })),
  };
};

const READERS = {
  CrossIndustryInvoice: cii,
  Invoice: ubl("InvoiceLine", "InvoicedQuantity"),
  CreditNote: ubl("CreditNoteLine", "CreditedQuantity"),
};

/** The terms of an invoice, or nothing of another document. */
export function readInvoice(bytes) {
  const root = new DOMParser().parseFromString(decoded(bytes), "application/xml").documentElement;
  return READERS[root.localName]?.(root);
}
