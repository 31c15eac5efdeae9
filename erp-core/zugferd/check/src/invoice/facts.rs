//! Facts about the whole document that rules need, collected in one pass: a walk at every line would take quadratic
//! time.

use std::cmp::Ordering;

use super::categories::CATEGORIES;
use super::node::Node;
use super::texts::Texts;
use super::values::keep_extreme;

pub(crate) const STANDARD: &str =
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";

/// The guideline of the extension of XRechnung.
pub(crate) const EXTENSION: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0\
    #conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0";

/// The guideline of XRechnung for vehicles that the public sector buys or hires.
pub(crate) const VEHICLES: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0\
    #compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9";

/// How often a VAT category is used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Uses {
    pub(crate) breakdowns: usize,
    pub(crate) lines: usize,
    /// Allowances and charges of any level.
    pub(crate) allowances: usize,
}

impl Uses {
    /// Counted as the official artefact does: two uses without a breakdown pass.
    pub(crate) fn has_breakdown(self) -> bool {
        let is_enough = |count: usize| count == 0 || count + self.breakdowns >= 2;
        is_enough(self.lines) && is_enough(self.allowances)
    }

    /// No use and no breakdown, or uses and exactly one breakdown.
    pub(crate) const fn go_together(self) -> bool {
        match self.breakdowns {
            0 => self.lines + self.allowances == 0,
            1 => self.lines + self.allowances > 0,
            _ => false,
        }
    }

    /// As [`Uses::go_together`], but a use without a breakdown passes.
    pub(crate) const fn are_outside(self) -> bool {
        self.breakdowns == 0 || self.go_together()
    }
}

/// Which identifiers the parties have. VAT identifiers have the scheme `VA`, tax numbers `FC`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TaxIds {
    pub(crate) seller_vat: bool,
    pub(crate) seller_tax_number: bool,
    pub(crate) representative_vat: bool,
    pub(crate) buyer_vat: bool,
    pub(crate) buyer_legal: bool,
}

/// The invoicing period of a transaction. Dates are compared as texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Period {
    pub(crate) starts: bool,
    pub(crate) ends: bool,
    /// The first of the starts.
    pub(crate) first_date: Option<String>,
    /// The last of the ends.
    pub(crate) last_date: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) has_line: bool,
    pub(crate) has_breakdown: bool,
    /// A line says that it is inside another.
    pub(crate) has_parent_line: bool,
    pub(crate) has_tax_point_date: bool,
    pub(crate) has_tax_point_code: bool,
    pub(crate) has_billed_unit: bool,
    pub(crate) has_country_other_than_italy: bool,
    pub(crate) has_split_payment: bool,
    pub(crate) has_standard_rate: bool,
    /// A tax of a line or breakdown has another category than O.
    pub(crate) has_other_tax_than_o: bool,
    /// A tax of an allowance or charge has another category than O.
    pub(crate) has_other_allowance_than_o: bool,
    /// The tax point code (BT-8) of the first tax that has one.
    tax_point_code: Option<String>,
    pub(crate) has_different_tax_points: bool,
    /// The guideline is that of XRechnung, of its extension, or that for vehicles.
    pub(crate) is_standard: bool,
    pub(crate) is_extension: bool,
    pub(crate) is_of_vehicles: bool,
    /// The currencies of the invoice and of accounting, of all headers.
    pub(crate) invoice_currencies: Texts<'static>,
    pub(crate) tax_currencies: Texts<'static>,
    /// What of a direct debit (BG-19) the invoice has: mandate, creditor and account.
    pub(crate) debit: [bool; 3],
    /// The invoicing periods (BG-14) of each transaction, by its number in the document, in that order.
    periods: Vec<(u32, Period)>,
    /// Of parties anywhere in the document.
    pub(crate) ids: TaxIds,
    /// Of parties of the header only.
    pub(crate) header_ids: TaxIds,
    uses: [Uses; CATEGORIES.len()],
}

const DEBIT: [&str; 3] = [
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms/DirectDebitMandateID",
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/CreditorReferenceID",
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementPaymentMeans/PayerPartyDebtorFinancialAccount/IBANID",
];

impl Facts {
    pub(crate) fn gather(root: Node<'_>) -> Self {
        let mut facts = Self {
            invoice_currencies: root.texts(root.syntax().invoice_currency),
            tax_currencies: root.texts(root.syntax().tax_currency),
            is_standard: root.has_text(root.syntax().guideline, STANDARD),
            is_extension: root.has_text(root.syntax().guideline, EXTENSION),
            is_of_vehicles: root.has_text(root.syntax().guideline, VEHICLES),
            ..Self::default()
        };
        if root.syntax().is_ubl {
            return facts;
        }
        for node in root.descendants().filter(|node| node.is_ram()) {
            facts.take(node);
        }
        facts.debit = DEBIT.map(|path| root.has(path));
        facts.has_billed_unit = root.has(
            "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeDelivery/\
             BilledQuantity/@unitCode",
        );
        for agreement in root.all("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement")
        {
            for party in PARTIES.into_iter().flat_map(|party| agreement.all(party)) {
                facts.header_ids.take(party);
            }
        }
        facts
    }

    /// How often a category is used; zero for a code without rules of its own.
    pub(crate) fn uses(&self, code: &str) -> Uses {
        let mut uses = CATEGORIES.iter().zip(&self.uses);
        let found = uses.find(|(category, _)| category.code == code);
        found.map(|(_, uses)| *uses).unwrap_or_default()
    }

    pub(crate) fn period(&self, transaction: Node<'_>) -> Option<&Period> {
        let number = transaction.element().index();
        let place = self.periods.binary_search_by_key(&number, |known| known.0);
        Some(&self.periods.get(place.ok()?)?.1)
    }

    fn take(&mut self, node: Node<'_>) {
        match node.element().local() {
            "IncludedSupplyChainTradeLineItem" => self.has_line = true,
            "ParentLineID" => self.has_parent_line = true,
            "TaxPointDate" => self.has_tax_point_date = true,
            "DueDateTypeCode" => self.has_tax_point_code = true,
            "CountryID" => self.has_country_other_than_italy |= node.text() != "IT",
            "CategoryCode" => {
                self.has_split_payment |= node.text() == "B";
                self.has_standard_rate |= node.text() == "S";
            }
            "ApplicableTradeTax" => self.take_tax(node),
            "BillingSpecifiedPeriod" => self.take_period(node),
            "CategoryTradeTax" => {
                self.has_other_allowance_than_o |= has_other_than_o(node);
                self.count(node, |uses| uses.allowances += 1);
            }
            party if PARTIES.contains(&party) => self.ids.take(node),
            _ => {}
        }
    }

    fn take_tax(&mut self, node: Node<'_>) {
        self.has_other_tax_than_o |= has_other_than_o(node);
        for code in node.children("DueDateTypeCode") {
            let code = code.text();
            match &self.tax_point_code {
                Some(first) => self.has_different_tax_points |= code != first.as_str(),
                None => self.tax_point_code = Some(code.into_owned()),
            }
        }
        let Some(around) = node.up() else { return };
        if around.is("SpecifiedLineTradeSettlement") {
            self.count(node, |uses| uses.lines += 1);
        }
        if around.is("ApplicableHeaderTradeSettlement") {
            self.count(node, |uses| uses.breakdowns += 1);
            let transaction = around.up();
            self.has_breakdown |=
                transaction.is_some_and(|node| node.is("rsm:SupplyChainTradeTransaction"));
        }
    }

    fn take_period(&mut self, node: Node<'_>) {
        let is_settlement = |around: &Node<'_>| around.is("ApplicableHeaderTradeSettlement");
        let Some(transaction) = node.up().filter(is_settlement).and_then(Node::up) else {
            return;
        };
        let number = transaction.element().index();
        // It is the last one, unless transactions are inside each other.
        let known = self.periods.binary_search_by_key(&number, |known| known.0);
        let place = known.unwrap_or_else(|place| {
            self.periods.insert(place, (number, Period::default()));
            place
        });
        let Some((_, period)) = self.periods.get_mut(place) else {
            return;
        };
        period.starts |= node.has("StartDateTime");
        period.ends |= node.has("EndDateTime");
        for date in node.all("StartDateTime/udt:DateTimeString") {
            keep_extreme(&mut period.first_date, date.text(), Ordering::Less);
        }
        for date in node.all("EndDateTime/udt:DateTimeString") {
            keep_extreme(&mut period.last_date, date.text(), Ordering::Greater);
        }
    }

    fn count(&mut self, tax: Node<'_>, add: impl Fn(&mut Uses)) {
        for (category, uses) in CATEGORIES.iter().zip(&mut self.uses) {
            if tax.has_text("CategoryCode", category.code) {
                add(uses);
            }
        }
    }
}

fn has_other_than_o(tax: Node<'_>) -> bool {
    let mut codes = tax.children("CategoryCode");
    codes.any(|code| code.text() != "O")
}

const PARTIES: [&str; 3] = [
    "SellerTradeParty",
    "BuyerTradeParty",
    "SellerTaxRepresentativeTradeParty",
];

impl TaxIds {
    fn take(&mut self, party: Node<'_>) {
        let ids = party.all("SpecifiedTaxRegistration/ID");
        let has = |scheme: &str| {
            ids.iter()
                .any(|id| id.attribute("schemeID") == Some(scheme))
        };
        match party.element().local() {
            "SellerTradeParty" => {
                self.seller_vat |= has("VA");
                self.seller_tax_number |= has("FC");
            }
            "BuyerTradeParty" => {
                self.buyer_vat |= has("VA");
                self.buyer_legal |= party.has("SpecifiedLegalOrganization/ID");
            }
            _ => self.representative_vat |= has("VA"),
        }
    }

    /// A VAT identifier or tax number of the seller, or a VAT identifier of its tax representative.
    pub(crate) const fn identify_seller(&self) -> bool {
        self.identify_seller_for_vat() || self.seller_tax_number
    }

    /// A VAT identifier of the seller or its tax representative.
    pub(crate) const fn identify_seller_for_vat(&self) -> bool {
        self.seller_vat || self.representative_vat
    }

    /// Of the seller as in [`Self::identify_seller`], and a VAT identifier or legal registration of the buyer.
    pub(crate) const fn identify_both(&self) -> bool {
        self.identify_seller() && (self.buyer_vat || self.buyer_legal)
    }

    /// VAT identifiers of the seller or its tax representative, and of the buyer.
    pub(crate) const fn identify_both_for_vat(&self) -> bool {
        self.identify_seller_for_vat() && self.buyer_vat
    }

    /// No VAT identifier at all.
    pub(crate) const fn identify_none_for_vat(&self) -> bool {
        !self.identify_seller_for_vat() && !self.buyer_vat
    }
}
