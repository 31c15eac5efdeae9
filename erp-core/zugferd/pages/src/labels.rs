//! What the pages say in each language: the one table of it.

use super::parts::{Kind, Language, TaxCategory};

/// Something that the pages say; `{}` is what it speaks of, `{tax}` the name of the tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    InvoiceNumber,
    Number,
    Date,
    CustomerNumber,
    OrderNumber,
    BuyerOrder,
    BuyerReference,
    DeliveryNote,
    Contract,
    Project,
    EarlierInvoice,
    DeliveryDate,
    DeliveryPeriod,
    DeliveryAddress,
    Contact,
    Phone,
    Email,
    OfDate,
    Position,
    Description,
    ArticleNumber,
    Quantity,
    UnitPrice,
    Discount,
    Tax,
    Sum,
    CarriedForward,
    SumOfLines,
    NetTotal,
    TaxTotal,
    GrossTotal,
    Prepaid,
    Rounding,
    Payable,
    Credited,
    TaxRecap,
    TaxRate,
    TaxBase,
    TaxAmount,
    Payment,
    Due,
    CashDiscount,
    CashDiscountPayable,
    Bank,
    Iban,
    Bic,
    PaymentReference,
    Remarks,
    Page,
    VatId,
    BuyerVatId,
    TaxNumber,
    Management,
    QrReceipt,
    QrPaymentPart,
    QrAccount,
    QrReference,
    QrAdditional,
    QrPayableBy,
    QrPayableByBlank,
    QrCurrency,
    QrAmount,
    QrAcceptance,
    QrSeparate,
}

impl Label {
    /// German, English, French, Italian.
    #[rustfmt::skip]
    const fn all(self) -> [&'static str; 4] {
        match self {
            Self::Number => ["Nummer", "Number", "Numéro", "Numero"],
            Self::InvoiceNumber => ["Rechnungsnummer", "Invoice number", "Numéro de facture", "Numero fattura"],
            Self::Date => ["Datum", "Date", "Date", "Data"],
            Self::CustomerNumber => ["Kundennummer", "Customer number", "Numéro de client", "Numero cliente"],
            Self::OrderNumber => ["Auftrag", "Our order", "Commande n°", "Ordine"],
            Self::BuyerOrder => ["Ihre Bestellung", "Your order", "Votre commande", "Vostro ordine"],
            Self::BuyerReference => ["Ihr Zeichen", "Your reference", "Votre référence", "Vostro riferimento"],
            Self::DeliveryNote => ["Lieferschein", "Delivery note", "Bon de livraison", "Bolla di consegna"],
            Self::Contract => ["Vertrag", "Contract", "Contrat", "Contratto"],
            Self::Project => ["Projekt", "Project", "Projet", "Progetto"],
            Self::EarlierInvoice => ["Zu Rechnung", "Refers to invoice", "Facture d’origine", "Fattura d’origine"],
            Self::DeliveryDate => ["Lieferdatum", "Delivery date", "Date de livraison", "Data di consegna"],
            Self::DeliveryPeriod => ["Leistungszeitraum", "Delivery period", "Période", "Periodo"],
            Self::DeliveryAddress => ["Lieferanschrift: {}", "Delivery address: {}", "Adresse de livraison : {}", "Indirizzo di consegna: {}"],
            Self::Contact => ["Ansprechpartner", "Contact", "Contact", "Contatto"],
            Self::Phone => ["Telefon", "Telephone", "Téléphone", "Telefono"],
            Self::Email => ["E-Mail", "E-mail", "E-mail", "E-mail"],
            Self::OfDate => ["{} vom {}", "{} of {}", "{} du {}", "{} del {}"],
            Self::Position => ["Pos.", "Item", "Pos.", "Pos."],
            Self::Description => ["Bezeichnung", "Description", "Désignation", "Descrizione"],
            Self::ArticleNumber => ["Art.-Nr. {}", "Article no. {}", "N° d’article {}", "N. articolo {}"],
            Self::Quantity => ["Menge", "Quantity", "Quantité", "Quantità"],
            Self::UnitPrice => ["Einzelpreis", "Unit price", "Prix unitaire", "Prezzo unitario"],
            Self::Discount => ["Rabatt", "Discount", "Remise", "Sconto"],
            Self::Tax => ["{tax}", "{tax}", "{tax}", "{tax}"],
            Self::Sum => ["Summe {}", "Amount {}", "Montant {}", "Importo {}"],
            Self::CarriedForward => ["Übertrag", "Carried forward", "À reporter", "Riporto"],
            Self::SumOfLines => ["Summe der Positionen", "Sum of the items", "Total des lignes", "Totale delle righe"],
            Self::NetTotal => ["Nettobetrag", "Total without {tax}", "Total hors {tax}", "Totale senza {tax}"],
            Self::TaxTotal => ["zuzüglich {tax}", "plus {tax}", "{tax}", "{tax}"],
            Self::GrossTotal => ["Gesamtbetrag", "Total with {tax}", "Total {tax} comprise", "Totale con {tax}"],
            Self::Prepaid => ["bereits bezahlt", "already paid", "déjà payé", "già pagato"],
            Self::Rounding => ["Rundung", "Rounding", "Arrondi", "Arrotondamento"],
            Self::Payable => ["Zu zahlen", "Amount due", "Net à payer", "Totale da pagare"],
            Self::Credited => ["Gutschriftsbetrag", "Amount credited", "Montant de l’avoir", "Importo accreditato"],
            Self::TaxRecap => ["Steuerübersicht", "Summary of {tax}", "Récapitulatif de la {tax}", "Riepilogo {tax}"],
            Self::TaxRate => ["Satz", "Rate", "Taux", "Aliquota"],
            Self::TaxBase => ["Nettobetrag", "Net amount", "Base", "Imponibile"],
            Self::TaxAmount => ["{tax}", "{tax}", "{tax}", "{tax}"],
            Self::Payment => ["Zahlung", "Payment", "Paiement", "Pagamento"],
            Self::Due => ["Zahlbar bis {} ohne Abzug.", "Payable by {} without deduction.", "Payable jusqu’au {}, net.", "Pagabile entro il {} senza detrazioni."],
            Self::CashDiscount => ["Bei Zahlung bis {}: {} Skonto.", "If paid by {}: {} cash discount.", "Paiement jusqu’au {} : {} d’escompte.", "Pagamento entro il {}: sconto del {}."],
            Self::CashDiscountPayable => ["Bei Zahlung bis {}: {} Skonto, zu zahlen sind dann {}.", "If paid by {}: {} cash discount, {} is due then.", "Paiement jusqu’au {} : {} d’escompte, soit {} à payer.", "Pagamento entro il {}: sconto del {}, da pagare {}."],
            Self::Bank => ["Bank", "Bank", "Banque", "Banca"],
            Self::Iban => ["IBAN", "IBAN", "IBAN", "IBAN"],
            Self::Bic => ["BIC", "BIC", "BIC", "BIC"],
            Self::PaymentReference => ["Verwendungszweck", "Payment reference", "Référence", "Causale"],
            Self::Remarks => ["Bemerkungen", "Remarks", "Remarques", "Osservazioni"],
            Self::Page => ["Seite {} von {}", "Page {} of {}", "Page {} sur {}", "Pagina {} di {}"],
            Self::VatId => ["{id} {}", "{id} {}", "{id} {}", "{id} {}"],
            Self::BuyerVatId => ["Ihre {id}", "Your {id}", "Votre {id}", "Vostra {id}"],
            Self::TaxNumber => ["Steuernr. {}", "Tax no. {}", "N° fiscal {}", "Cod. fiscale {}"],
            Self::Management => ["Geschäftsführung: {}", "Management: {}", "Direction : {}", "Direzione: {}"],
            // The words of the standard of the QR-bill.
            Self::QrReceipt => ["Empfangsschein", "Receipt", "Récépissé", "Ricevuta"],
            Self::QrPaymentPart => ["Zahlteil", "Payment part", "Section paiement", "Sezione pagamento"],
            Self::QrAccount => ["Konto / Zahlbar an", "Account / Payable to", "Compte / Payable à", "Conto / Pagabile a"],
            Self::QrReference => ["Referenz", "Reference", "Référence", "Riferimento"],
            Self::QrAdditional => ["Zusätzliche Informationen", "Additional information", "Informations supplémentaires", "Informazioni supplementari"],
            Self::QrPayableBy => ["Zahlbar durch", "Payable by", "Payable par", "Pagabile da"],
            Self::QrPayableByBlank => ["Zahlbar durch (Name/Adresse)", "Payable by (name/address)", "Payable par (nom/adresse)", "Pagabile da (nome/indirizzo)"],
            Self::QrCurrency => ["Währung", "Currency", "Monnaie", "Valuta"],
            Self::QrAmount => ["Betrag", "Amount", "Montant", "Importo"],
            Self::QrAcceptance => ["Annahmestelle", "Acceptance point", "Point de dépôt", "Punto di accettazione"],
            Self::QrSeparate => ["Vor der Einzahlung abzutrennen", "Separate before paying in", "A détacher avant le versement", "Da staccare prima del versamento"],
        }
    }

    pub(crate) const fn of(self, language: Language) -> &'static str {
        language.choose(self.all())
    }
}

impl Language {
    /// One of German, English, French, Italian.
    const fn choose(self, texts: [&'static str; 4]) -> &'static str {
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

    /// The name of the identifier of who pays the tax.
    pub(crate) fn tax_id(self, country: &str) -> &'static str {
        let german = match country {
            "CH" | "LI" => "MWST-Nr.",
            "AT" => "UID-Nr.",
            _ => "USt-IdNr.",
        };
        self.choose([german, "VAT no.", "N° TVA", "P. IVA"])
    }
}

/// The title of a document.
pub(crate) const fn title(kind: Kind, language: Language) -> &'static str {
    language.choose(match kind {
        Kind::Invoice => ["Rechnung", "Invoice", "Facture", "Fattura"],
        Kind::PartialInvoice => [
            "Teilrechnung",
            "Partial invoice",
            "Facture partielle",
            "Fattura parziale",
        ],
        Kind::PrepaymentInvoice => [
            "Anzahlungsrechnung",
            "Prepayment invoice",
            "Facture d’acompte",
            "Fattura di acconto",
        ],
        Kind::Correction => [
            "Rechnungskorrektur",
            "Corrected invoice",
            "Facture rectificative",
            "Fattura rettificativa",
        ],
        Kind::CreditNote => ["Gutschrift", "Credit note", "Avoir", "Nota di credito"],
    })
}

/// The name of a category of the tax.
#[rustfmt::skip]
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
