//! The labels of the pages in each language.

use super::parts::{DocumentKind, Language, TaxCategory};

/// A label in German, English, French and Italian; `{}` is filled with a value, `{tax}` with the name of the tax.
pub(crate) type Label = [&'static str; 4];

pub(crate) const INVOICE_NUMBER: Label = ["Rechnungsnummer", "Invoice number", "Numéro de facture", "Numero fattura"];
pub(crate) const NUMBER: Label = ["Nummer", "Number", "Numéro", "Numero"];
pub(crate) const DATE: Label = ["Datum", "Date", "Date", "Data"];
pub(crate) const CUSTOMER_NUMBER: Label = ["Kundennummer", "Customer number", "Numéro de client", "Numero cliente"];
pub(crate) const ORDER_NUMBER: Label = ["Auftrag", "Our order", "Commande n°", "Ordine"];
pub(crate) const BUYER_ORDER: Label = ["Ihre Bestellung", "Your order", "Votre commande", "Vostro ordine"];
pub(crate) const BUYER_REFERENCE: Label = ["Ihr Zeichen", "Your reference", "Votre référence", "Vostro riferimento"];
pub(crate) const DELIVERY_NOTE: Label = ["Lieferschein", "Delivery note", "Bon de livraison", "Bolla di consegna"];
pub(crate) const CONTRACT: Label = ["Vertrag", "Contract", "Contrat", "Contratto"];
pub(crate) const PROJECT: Label = ["Projekt", "Project", "Projet", "Progetto"];
pub(crate) const EARLIER_INVOICE: Label = ["Zu Rechnung", "Refers to invoice", "Facture d’origine", "Fattura d’origine"];
pub(crate) const DELIVERY_DATE: Label = ["Lieferdatum", "Delivery date", "Date de livraison", "Data di consegna"];
pub(crate) const DELIVERY_PERIOD: Label = ["Leistungszeitraum", "Delivery period", "Période", "Periodo"];
pub(crate) const DELIVERY_ADDRESS: Label = ["Lieferanschrift: {}", "Delivery address: {}", "Adresse de livraison : {}", "Indirizzo di consegna: {}"];
pub(crate) const CONTACT: Label = ["Ansprechpartner", "Contact", "Contact", "Contatto"];
pub(crate) const PHONE: Label = ["Telefon", "Telephone", "Téléphone", "Telefono"];
pub(crate) const EMAIL: Label = ["E-Mail", "E-mail", "E-mail", "E-mail"];
pub(crate) const OF_DATE: Label = ["{} vom {}", "{} of {}", "{} du {}", "{} del {}"];
pub(crate) const POSITION: Label = ["Pos.", "Item", "Pos.", "Pos."];
pub(crate) const DESCRIPTION: Label = ["Bezeichnung", "Description", "Désignation", "Descrizione"];
pub(crate) const ARTICLE_NUMBER: Label = ["Art.-Nr. {}", "Article no. {}", "N° d’article {}", "N. articolo {}"];
pub(crate) const QUANTITY: Label = ["Menge", "Quantity", "Quantité", "Quantità"];
pub(crate) const UNIT_PRICE: Label = ["Einzelpreis", "Unit price", "Prix unitaire", "Prezzo unitario"];
pub(crate) const DISCOUNT: Label = ["Rabatt", "Discount", "Remise", "Sconto"];
pub(crate) const TAX: Label = ["{tax}", "{tax}", "{tax}", "{tax}"];
pub(crate) const SUM: Label = ["Summe {}", "Amount {}", "Montant {}", "Importo {}"];
pub(crate) const CARRIED_FORWARD: Label = ["Übertrag", "Carried forward", "À reporter", "Riporto"];
pub(crate) const SUM_OF_LINES: Label = ["Summe der Positionen", "Sum of the items", "Total des lignes", "Totale delle righe"];
pub(crate) const NET_TOTAL: Label = ["Nettobetrag", "Total without {tax}", "Total hors {tax}", "Totale senza {tax}"];
pub(crate) const TAX_TOTAL: Label = ["zuzüglich {tax}", "plus {tax}", "{tax}", "{tax}"];
pub(crate) const TAX_INCLUDED: Label = ["darin {tax}", "including {tax}", "dont {tax}", "di cui {tax}"];
pub(crate) const GROSS_TOTAL: Label = ["Gesamtbetrag", "Total with {tax}", "Total {tax} comprise", "Totale con {tax}"];
pub(crate) const PREPAID: Label = ["bereits bezahlt", "already paid", "déjà payé", "già pagato"];
pub(crate) const ROUNDING: Label = ["Rundung", "Rounding", "Arrondi", "Arrotondamento"];
pub(crate) const PAYABLE: Label = ["Zu zahlen", "Amount due", "Net à payer", "Totale da pagare"];
pub(crate) const CREDITED: Label = ["Gutschriftsbetrag", "Amount credited", "Montant de l’avoir", "Importo accreditato"];
pub(crate) const TAX_RECAP: Label = ["Steuerübersicht", "Summary of {tax}", "Récapitulatif de la {tax}", "Riepilogo {tax}"];
pub(crate) const TAX_RATE: Label = ["Satz", "Rate", "Taux", "Aliquota"];
pub(crate) const TAX_BASE: Label = ["Nettobetrag", "Net amount", "Base", "Imponibile"];
pub(crate) const PAYMENT: Label = ["Zahlung", "Payment", "Paiement", "Pagamento"];
pub(crate) const DUE: Label = ["Zahlbar bis {}.", "Payable by {}.", "Payable jusqu’au {}.", "Pagabile entro il {}."];
pub(crate) const CASH_DISCOUNT: Label = ["Bei Zahlung bis {}: {} Skonto.", "If paid by {}: {} cash discount.", "Paiement jusqu’au {} : {} d’escompte.", "Pagamento entro il {}: sconto del {}."];
pub(crate) const CASH_DISCOUNT_PAYABLE: Label = ["Bei Zahlung bis {}: {} Skonto, zu zahlen sind dann {}.", "If paid by {}: {} cash discount, {} is due then.", "Paiement jusqu’au {} : {} d’escompte, soit {} à payer.", "Pagamento entro il {}: sconto del {}, da pagare {}."];
pub(crate) const BANK: Label = ["Bank", "Bank", "Banque", "Banca"];
pub(crate) const IBAN: Label = ["IBAN", "IBAN", "IBAN", "IBAN"];
pub(crate) const BIC: Label = ["BIC", "BIC", "BIC", "BIC"];
pub(crate) const PAYMENT_REFERENCE: Label = ["Verwendungszweck", "Payment reference", "Référence", "Causale"];
pub(crate) const REMARKS: Label = ["Bemerkungen", "Remarks", "Remarques", "Osservazioni"];
pub(crate) const PAGE: Label = ["Seite {} von {}", "Page {} of {}", "Page {} sur {}", "Pagina {} di {}"];
pub(crate) const BUYER_VAT_ID: Label = ["Ihre {id}", "Your {id}", "Votre {id}", "Vostra {id}"];
pub(crate) const TAX_NUMBER: Label = ["Steuernr. {}", "Tax no. {}", "N° fiscal {}", "Cod. fiscale {}"];
pub(crate) const MANAGEMENT: Label = ["Geschäftsführung: {}", "Management: {}", "Direction : {}", "Direzione: {}"];

// The words of the standard of the QR-bill.
pub(crate) const QR_RECEIPT: Label = ["Empfangsschein", "Receipt", "Récépissé", "Ricevuta"];
pub(crate) const QR_PAYMENT_PART: Label = ["Zahlteil", "Payment part", "Section paiement", "Sezione pagamento"];
pub(crate) const QR_ACCOUNT: Label = ["Konto / Zahlbar an", "Account / Payable to", "Compte / Payable à", "Conto / Pagabile a"];
pub(crate) const QR_REFERENCE: Label = ["Referenz", "Reference", "Référence", "Riferimento"];
pub(crate) const QR_ADDITIONAL: Label = ["Zusätzliche Informationen", "Additional information", "Informations supplémentaires", "Informazioni supplementari"];
pub(crate) const QR_PAYABLE_BY: Label = ["Zahlbar durch", "Payable by", "Payable par", "Pagabile da"];
pub(crate) const QR_PAYABLE_BY_BLANK: Label = ["Zahlbar durch (Name/Adresse)", "Payable by (name/address)", "Payable par (nom/adresse)", "Pagabile da (nome/indirizzo)"];
pub(crate) const QR_CURRENCY: Label = ["Währung", "Currency", "Monnaie", "Valuta"];
pub(crate) const QR_AMOUNT: Label = ["Betrag", "Amount", "Montant", "Importo"];
pub(crate) const QR_ACCEPTANCE: Label = ["Annahmestelle", "Acceptance point", "Point de dépôt", "Punto di accettazione"];
pub(crate) const QR_SEPARATE: Label = ["Vor der Einzahlung abzutrennen", "Separate before paying in", "A détacher avant le versement", "Da staccare prima del versamento"];

impl Language {
    /// One of German, English, French, Italian.
    pub(crate) const fn choose(self, texts: Label) -> &'static str {
        let [german, english, french, italian] = texts;
        match self {
            Self::German => german,
            Self::English => english,
            Self::French => french,
            Self::Italian => italian,
        }
    }

    /// Its code in ISO 639-1.
    pub(crate) const fn tag(self) -> &'static str {
        self.choose(["de", "en", "fr", "it"])
    }

    /// The name of the tax; German has two.
    pub(crate) const fn tax(self, swiss: bool) -> &'static str {
        self.choose([if swiss { "MWST" } else { "USt" }, "VAT", "TVA", "IVA"])
    }

    /// The name of the VAT identifier.
    pub(crate) fn tax_id(self, country: &str) -> &'static str {
        let german = match country {
            "CH" | "LI" => "MWST-Nr.",
            "AT" => "UID-Nr.",
            _ => "USt-IdNr.",
        };
        self.choose([german, "VAT no.", "N° TVA", "P. IVA"])
    }
}

pub(crate) const fn title(kind: DocumentKind, language: Language) -> &'static str {
    language.choose(match kind {
        DocumentKind::Invoice => ["Rechnung", "Invoice", "Facture", "Fattura"],
        DocumentKind::PartialInvoice => ["Teilrechnung", "Partial invoice", "Facture partielle", "Fattura parziale"],
        DocumentKind::PrepaymentInvoice => ["Anzahlungsrechnung", "Prepayment invoice", "Facture d’acompte", "Fattura di acconto"],
        DocumentKind::Correction => ["Rechnungskorrektur", "Corrected invoice", "Facture rectificative", "Fattura rettificativa"],
        DocumentKind::CreditNote => ["Gutschrift", "Credit note", "Avoir", "Nota di credito"],
    })
}

pub(crate) const fn category(category: TaxCategory, language: Language) -> &'static str {
    language.choose(match category {
        TaxCategory::Taxed => ["Steuerpflichtig", "Taxable", "Imposable", "Imponibile"],
        TaxCategory::Zero => ["Nullsatz", "Zero rate", "Taux zéro", "Aliquota zero"],
        TaxCategory::Exempt => ["Steuerfrei", "Exempt", "Exonéré", "Esente"],
        TaxCategory::ReverseCharge => ["Steuerschuldnerschaft des Leistungsempfängers", "Reverse charge", "Autoliquidation", "Inversione contabile"],
        TaxCategory::IntraCommunity => ["Innergemeinschaftliche Lieferung", "Intra-Community supply", "Livraison intracommunautaire", "Cessione intracomunitaria"],
        TaxCategory::Export => ["Ausfuhr", "Export", "Exportation", "Esportazione"],
        TaxCategory::OutOfScope => ["Nicht steuerbar", "Outside the scope", "Hors champ", "Fuori campo"],
    })
}
