//! An invoice as XML: Cross Industry Invoice of UN/CEFACT (D16B), as EN 16931 and XRechnung bind it.

use std::fmt::{Display, Write as _};

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::{Invoice, InvoiceKind, InvoiceLine, InvoiceTax, Party};
use crate::domain::master::TaxCategory;
use crate::values::codes::Language;

const EN_16931: &str = "urn:cen.eu:en16931:2017";
const XRECHNUNG: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";

/// The process of XRechnung (BT-23): billing.
const BILLING: &str = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";

/// The schemes of electronic addresses (list EAS): e-mail, and Leitweg-ID.
const E_MAIL: &str = "EM";
const LEITWEG: &str = "0204";

/// Codes of a discount (UNTDID 5189) and of freight (UNTDID 7161).
const DISCOUNT: &str = "95";
const FREIGHT: &str = "FC";

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <rsm:CrossIndustryInvoice xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
    xmlns:ram=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\" \
    xmlns:qdt=\"urn:un:unece:uncefact:data:standard:QualifiedDataType:100\" \
    xmlns:udt=\"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100\">";

/// The invoice as XML. The same invoice is always the same text.
#[must_use]
pub fn cii(invoice: &Invoice) -> String {
    let mut xml = Xml {
        text: HEAD.to_owned(),
        digits: usize::try_from(invoice.currency.minor_digits()).unwrap_or_default(),
    };
    xml.inside("rsm:ExchangedDocumentContext", |xml| {
        let (process, guideline) = match invoice.leitweg_id {
            Some(_) => (Some(BILLING), XRECHNUNG),
            None => (None, EN_16931),
        };
        let parameter = "ram:BusinessProcessSpecifiedDocumentContextParameter";
        xml.nested([parameter, "ram:ID"], process);
        let parameter = "ram:GuidelineSpecifiedDocumentContextParameter";
        xml.nested([parameter, "ram:ID"], Some(guideline));
    });
    xml.inside("rsm:ExchangedDocument", |xml| {
        xml.leaf("ram:ID", &invoice.number);
        xml.leaf("ram:TypeCode", invoice.kind.as_str());
        xml.day("ram:IssueDateTime", "udt", invoice.date);
    });
    xml.inside("rsm:SupplyChainTradeTransaction", |xml| {
        for line in &invoice.lines {
            xml.line(line, invoice.language);
        }
        xml.inside("ram:ApplicableHeaderTradeAgreement", |xml| {
            xml.agreement(invoice)
        });
        xml.inside("ram:ApplicableHeaderTradeDelivery", |xml| {
            if let Some(delivery) = &invoice.delivery {
                xml.inside("ram:ShipToTradeParty", |xml| {
                    xml.leaf("ram:Name", &delivery.name);
                    xml.address(delivery);
                });
            }
            xml.inside("ram:ActualDeliverySupplyChainEvent", |xml| {
                xml.day("ram:OccurrenceDateTime", "udt", invoice.delivered_on);
            });
        });
        xml.inside("ram:ApplicableHeaderTradeSettlement", |xml| {
            xml.settlement(invoice)
        });
    });
    xml.text.push_str("</rsm:CrossIndustryInvoice>\n");
    xml.text
}

struct Xml {
    text: String,
    /// Fraction digits of amounts.
    digits: usize,
}

impl Xml {
    fn inside(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.inside_with(name, "", content);
    }

    fn inside_with(&mut self, name: &str, attributes: &str, content: impl FnOnce(&mut Self)) {
        self.put(format_args!("<{name}{attributes}>"));
        content(self);
        self.put(format_args!("</{name}>"));
    }

    fn leaf(&mut self, name: &str, text: impl Display) {
        self.inside(name, |xml| xml.escaped(&text.to_string()));
    }

    fn leaf_with(&mut self, name: &str, (attribute, value): (&str, &str), text: impl Display) {
        // The values are codes of our lists.
        let attributes = format!(" {attribute}=\"{value}\"");
        self.inside_with(name, &attributes, |xml| xml.escaped(&text.to_string()));
    }

    fn optional(&mut self, name: &str, text: Option<impl Display>) {
        if let Some(text) = text {
            self.leaf(name, text);
        }
    }

    /// A leaf alone in an element.
    fn nested(&mut self, [outer, name]: [&str; 2], text: Option<impl Display>) {
        if let Some(text) = text {
            self.inside(outer, |xml| xml.leaf(name, text));
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // A text that grows accepts everything.
        let _ = self.text.write_fmt(text);
    }

    /// Text, without white space at its ends.
    fn escaped(&mut self, text: &str) {
        for letter in text.trim().chars() {
            match letter {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '\r' => self.text.push_str("&#13;"),
                letter if is_xml(letter) => self.text.push(letter),
                _ => self.text.push('\u{fffd}'),
            }
        }
    }

    fn amount(&mut self, name: &str, amount: Decimal) {
        let digits = self.digits;
        self.leaf(name, format_args!("{amount:.digits$}"));
    }

    fn day(&mut self, name: &str, prefix: &str, day: Date) {
        let text = day.strftime("%Y%m%d").to_string();
        self.inside(name, |xml| {
            xml.leaf_with(&format!("{prefix}:DateTimeString"), ("format", "102"), text);
        });
    }

    fn line(&mut self, line: &InvoiceLine, language: Language) {
        self.inside("ram:IncludedSupplyChainTradeLineItem", |xml| {
            let number = ["ram:AssociatedDocumentLineDocument", "ram:LineID"];
            xml.nested(number, Some(line.number));
            xml.inside("ram:SpecifiedTradeProduct", |xml| xml.product(line));
            let unit = ("unitCode", line.unit_code.as_str());
            xml.inside("ram:SpecifiedLineTradeAgreement", |xml| {
                xml.inside("ram:NetPriceProductTradePrice", |xml| {
                    xml.leaf("ram:ChargeAmount", line.price.normalize());
                    if line.price_basis != Decimal::ONE {
                        xml.leaf_with("ram:BasisQuantity", unit, line.price_basis.normalize());
                    }
                });
            });
            xml.inside("ram:SpecifiedLineTradeDelivery", |xml| {
                xml.leaf_with("ram:BilledQuantity", unit, line.quantity.normalize());
            });
            xml.inside("ram:SpecifiedLineTradeSettlement", |xml| {
                xml.inside("ram:ApplicableTradeTax", |xml| {
                    xml.tax(line.category, line.tax_rate)
                });
                if !line.discount.is_zero() {
                    xml.inside("ram:SpecifiedTradeAllowanceCharge", |xml| {
                        xml.discount(line, language);
                    });
                }
                xml.inside("ram:SpecifiedTradeSettlementLineMonetarySummation", |xml| {
                    xml.amount("ram:LineTotalAmount", line.net);
                });
            });
        });
    }

    fn product(&mut self, line: &InvoiceLine) {
        let (name, more) = line.name_and_more();
        self.leaf("ram:SellerAssignedID", &line.article);
        self.leaf("ram:Name", name);
        if !more.is_empty() {
            self.optional("ram:Description", line.description.as_ref());
        }
    }

    fn discount(&mut self, line: &InvoiceLine, language: Language) {
        self.indicator(false);
        self.amount("ram:ActualAmount", line.discount);
        self.leaf("ram:ReasonCode", DISCOUNT);
        let rate = line.discount_rate.normalize();
        let [reason, _] = words(language);
        self.leaf("ram:Reason", format_args!("{reason} {rate} %"));
    }

    fn indicator(&mut self, is_charge: bool) {
        self.nested(["ram:ChargeIndicator", "udt:Indicator"], Some(is_charge));
    }

    /// Type, category and rate of a line, an allowance or a charge.
    fn tax(&mut self, category: TaxCategory, rate: Decimal) {
        self.leaf("ram:TypeCode", "VAT");
        self.leaf("ram:CategoryCode", category.as_str());
        // What is not subject to tax has no rate.
        if category != TaxCategory::NotSubject {
            self.leaf("ram:RateApplicablePercent", rate.normalize());
        }
    }

    fn agreement(&mut self, invoice: &Invoice) {
        let reference = invoice.leitweg_id.as_deref();
        let reference = reference.or(invoice.purchase_order.as_deref());
        self.optional("ram:BuyerReference", reference);
        self.inside("ram:SellerTradeParty", |xml| {
            let seller = &invoice.seller;
            if seller.register_entry.is_none() && seller.vat_id.is_none() {
                xml.optional("ram:ID", seller.tax_number.as_ref());
            }
            let address = seller.email.as_deref().map(|email| (E_MAIL, email));
            xml.party(seller, address);
        });
        self.inside("ram:BuyerTradeParty", |xml| {
            xml.leaf("ram:ID", &invoice.customer);
            let email = invoice.buyer.email.as_deref().map(|email| (E_MAIL, email));
            let leitweg = invoice.leitweg_id.as_deref().map(|id| (LEITWEG, id));
            xml.party(&invoice.buyer, leitweg.or(email));
        });
        let in_own = |document| [document, "ram:IssuerAssignedID"];
        self.nested(
            in_own("ram:SellerOrderReferencedDocument"),
            Some(&invoice.order),
        );
        let number = invoice.purchase_order.as_ref();
        self.nested(in_own("ram:BuyerOrderReferencedDocument"), number);
    }

    fn party(&mut self, party: &Party, electronic: Option<(&str, &str)>) {
        self.leaf("ram:Name", &party.name);
        let entry = party.register_entry.as_ref();
        self.nested(["ram:SpecifiedLegalOrganization", "ram:ID"], entry);
        if party.contact_name.is_some() || party.phone.is_some() || party.email.is_some() {
            self.inside("ram:DefinedTradeContact", |xml| {
                xml.optional("ram:PersonName", party.contact_name.as_ref());
                let phone = ["ram:TelephoneUniversalCommunication", "ram:CompleteNumber"];
                xml.nested(phone, party.phone.as_ref());
                let email = ["ram:EmailURIUniversalCommunication", "ram:URIID"];
                xml.nested(email, party.email.as_ref());
            });
        }
        self.address(party);
        if let Some((scheme, address)) = electronic {
            self.inside("ram:URIUniversalCommunication", |xml| {
                xml.leaf_with("ram:URIID", ("schemeID", scheme), address);
            });
        }
        for (scheme, number) in [
            ("VA", party.vat_id.as_deref()),
            ("FC", party.tax_number.as_deref()),
        ] {
            if let Some(number) = number {
                self.inside("ram:SpecifiedTaxRegistration", |xml| {
                    xml.leaf_with("ram:ID", ("schemeID", scheme), number);
                });
            }
        }
    }

    fn address(&mut self, party: &Party) {
        self.inside("ram:PostalTradeAddress", |xml| {
            xml.leaf("ram:PostcodeCode", &party.postal_code);
            xml.leaf("ram:LineOne", &party.street);
            let additions = [
                party.street_addition.as_deref(),
                party.name_addition.as_deref(),
            ];
            let names = ["ram:LineTwo", "ram:LineThree"];
            for (name, line) in names.into_iter().zip(additions.into_iter().flatten()) {
                xml.leaf(name, line);
            }
            xml.leaf("ram:CityName", &party.town);
            xml.optional(
                "ram:CountryID",
                party.country.as_ref().map(|code| match code.as_str() {
                    // The code lists of EN 16931 have Kosovo under this code.
                    "XK" => "1A",
                    code => code,
                }),
            );
        });
    }

    fn settlement(&mut self, invoice: &Invoice) {
        self.leaf("ram:PaymentReference", &invoice.reference);
        self.leaf("ram:InvoiceCurrencyCode", invoice.currency.as_str());
        if let Some(means) = &invoice.means {
            self.inside("ram:SpecifiedTradeSettlementPaymentMeans", |xml| {
                xml.leaf("ram:TypeCode", means);
                let Some(iban) = &invoice.iban else { return };
                xml.inside("ram:PayeePartyCreditorFinancialAccount", |xml| {
                    xml.leaf("ram:IBANID", iban);
                    xml.leaf("ram:AccountName", &invoice.seller.name);
                });
                let bank = "ram:PayeeSpecifiedCreditorFinancialInstitution";
                xml.nested([bank, "ram:BICID"], invoice.bic.as_ref());
            });
        }
        for tax in &invoice.taxes {
            self.inside("ram:ApplicableTradeTax", |xml| xml.breakdown(tax));
        }
        for tax in &invoice.taxes {
            if !tax.delivery_net.is_zero() {
                self.inside("ram:SpecifiedTradeAllowanceCharge", |xml| {
                    xml.indicator(true);
                    xml.amount("ram:ActualAmount", tax.delivery_net);
                    xml.leaf("ram:ReasonCode", FREIGHT);
                    let [_, reason] = words(invoice.language);
                    xml.leaf("ram:Reason", reason);
                    xml.inside("ram:CategoryTradeTax", |xml| {
                        xml.tax(tax.category, tax.rate)
                    });
                });
            }
        }
        if invoice.payment_terms.is_some() || invoice.due_on.is_some() {
            self.inside("ram:SpecifiedTradePaymentTerms", |xml| {
                xml.optional("ram:Description", invoice.payment_terms.as_ref());
                if let Some(due) = invoice.due_on {
                    xml.day("ram:DueDateDateTime", "udt", due);
                }
            });
        }
        self.sums(invoice);
        if let (InvoiceKind::CreditNote, Some(number)) = (invoice.kind, &invoice.canceled) {
            self.inside("ram:InvoiceReferencedDocument", |xml| {
                xml.leaf("ram:IssuerAssignedID", number);
                if let Some(date) = invoice.canceled_date {
                    xml.day("ram:FormattedIssueDateTime", "qdt", date);
                }
            });
        }
    }

    fn breakdown(&mut self, tax: &InvoiceTax) {
        self.amount("ram:CalculatedAmount", tax.tax);
        self.leaf("ram:TypeCode", "VAT");
        self.optional("ram:ExemptionReason", tax.exemption_reason.as_ref());
        self.amount("ram:BasisAmount", tax.net);
        self.leaf("ram:CategoryCode", tax.category.as_str());
        self.optional("ram:ExemptionReasonCode", tax.exemption_code.as_ref());
        self.leaf("ram:RateApplicablePercent", tax.rate.normalize());
    }

    fn sums(&mut self, invoice: &Invoice) {
        let sums = "ram:SpecifiedTradeSettlementHeaderMonetarySummation";
        self.inside(sums, |xml| {
            xml.amount("ram:LineTotalAmount", invoice.lines_net);
            if !invoice.delivery_net.is_zero() {
                xml.amount("ram:ChargeTotalAmount", invoice.delivery_net);
            }
            xml.amount("ram:TaxBasisTotalAmount", invoice.net);
            let (digits, tax) = (xml.digits, invoice.tax);
            let currency = ("currencyID", invoice.currency.as_str());
            let tax = format_args!("{tax:.digits$}");
            xml.leaf_with("ram:TaxTotalAmount", currency, tax);
            if !invoice.rounding.is_zero() {
                xml.amount("ram:RoundingAmount", invoice.rounding);
            }
            xml.amount("ram:GrandTotalAmount", invoice.gross);
            if !invoice.paid.is_zero() {
                xml.amount("ram:TotalPrepaidAmount", invoice.paid);
            }
            xml.amount("ram:DuePayableAmount", invoice.payable);
        });
    }
}

/// Whether XML 1.0 allows a character.
const fn is_xml(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// What a discount and what delivery costs are called.
pub(super) const fn words(language: Language) -> [&'static str; 2] {
    match language {
        Language::GERMAN => ["Rabatt", "Lieferkosten"],
        Language::FRENCH => ["Rabais", "Frais de livraison"],
        Language::ITALIAN => ["Sconto", "Spese di consegna"],
        _ => ["Discount", "Delivery costs"],
    }
}
