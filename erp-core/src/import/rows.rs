//! The tables of import rows. Members that the interface knows have its names, types and lengths.

use crate::wire::record::wire_record;
use crate::wire::{AddressBody, Attribute};

wire_record! {
    /// Company settings (`Firma`).
    pub struct CompanyRow {
        /// name of the company
        name "FirmaBez": varchar(255),
        /// leading currency, ISO 4217
        currency "WaehrAbk": char(4),
        /// language of texts without one, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// home country, ISO 3166 alpha-2
        country "OrtLand": varchar(4),
        /// IANA time zone
        time_zone "Zeitzone": varchar(64),
        /// kind of a document when no price list was hit: N net, B gross
        price_kind "Preisart": char(1),
        /// price list type every customer falls back to
        price_list "RESTPreisliste": varchar(12),
        /// tax code of articles without one
        tax_code "WUSTCode": varchar(12),
        /// tax code of delivery costs
        delivery_tax_code "LiefKostWUSTCode": varchar(12),
        /// default location
        location "StaoNr": int,
        /// payment conditions
        payment_conditions "Zahlungsbedingungen": list(PaymentConditionRow),
        /// attributes of the company
        attributes: list(Attribute),
    }
}

wire_record! {
    /// A payment condition (`Zahlungsbedingungen`).
    pub struct PaymentConditionRow {
        /// payment condition
        payment_condition "KundBedTyp": tinyint,
        /// text per language
        texts "Texte": list(TextRow),
    }
}

wire_record! {
    /// A text in one language (`Texte`).
    pub struct TextRow {
        /// language, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// general text
        text "Text": varchar(255),
        /// article description
        article_text "ArtBez": varchar(255),
        /// packaging designation
        unit_text "VPBezeichnung": varchar(255),
    }
}

wire_record! {
    /// A tax code (`Steuer`).
    pub struct TaxCodeRow {
        /// tax code
        code "WUSTCode": varchar(12),
        /// layout of the tax return: D German, C Swiss, X other
        class "PosWUSTKlasse": char(1),
        /// designation per language
        texts "Texte": list(TextRow),
        /// rates, each for its time
        rates "Saetze": list(TaxRateRow),
    }
}

wire_record! {
    /// A tax rate and its form figures for a span of days (`Saetze`).
    pub struct TaxRateRow {
        /// first day, `YYYY-MM-DD`
        valid_from "GueltigAb": char(10),
        /// last day, `YYYY-MM-DD`
        valid_until "GueltigBis": char(10),
        /// rate in percent
        rate "WUSTSatz": float,
        /// form figure of the turnover
        turnover_figure "PosUSTUZiffer": varchar(12),
        /// form figure of the sales tax
        sales_tax_figure "PosUSTSZiffer": varchar(12),
        /// form figure of the input tax
        input_tax_figure "PosVSTSZiffer": varchar(12),
    }
}

wire_record! {
    /// An article (`Artikel`).
    pub struct ArticleRow {
        /// article number
        number "ArtNr": char(15),
        /// J yes, N no: stock-managed
        stock_managed "AnLager": char(1),
        /// article description in the company's language
        description "ArtBez": varchar(255),
        /// 1 = active
        status "ArtikelStatus": int,
        /// article unit
        unit "Einheit": varchar(12),
        /// colour marker #rrggbb
        colour "Farbe": varchar(12),
        /// tax code
        tax_code "WUSTCode": varchar(12),
        /// article group
        group "ArtGruppe": char(12),
        /// article class
        class "ArtKlasse": char(8),
        /// procurement type
        procurement "BeschaffungsArt": char(1),
        /// processing type: C batch-managed, N not
        processing "VerarbeitungsArt": char(1),
        /// weight
        weight "ArtGewicht": float,
        /// how many units a price is for
        price_basis "PosPreisBasis": float,
        /// description per language
        texts "Texte": list(TextRow),
        /// attributes
        attributes: list(Attribute),
        /// packaging units
        units "Verpackungen": list(PackagingUnitRow),
        /// origin declarations
        declarations "Deklaration": list(DeclarationRow),
        /// take the article away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// A packaging unit (`Verpackung`, and within `Artikel`).
    pub struct PackagingUnitRow {
        /// article number; not within `Artikel`
        article "ArtNr": char(15),
        /// packaging unit id code
        code "VPEinheit": varchar(30),
        /// EAN of the packaging
        ean "VPEEANNr": varchar(30),
        /// designation in the company's language
        name "VPBezeichnung": varchar(255),
        /// designation per language
        texts "Texte": list(TextRow),
        /// conversion factor article to packaging weight
        weight_factor "Gewicht": float,
        /// weight of the packaging unit
        weight "VPEGewicht": float,
        /// weight of the content
        content_weight "GewichtInhalt": float,
        /// how many base units a package holds
        factor "Faktor": float,
        /// take the unit away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// The description of an article in one language (`ArtikelText`).
    pub struct ArticleTextRow {
        /// article number
        article "ArtNr": char(15),
        /// language, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// article description
        text "ArtBez": varchar(255),
        /// take the description away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// An origin declaration (`Deklaration`, and within `Artikel`).
    pub struct DeclarationRow {
        /// article number; not within `Artikel`
        article "ArtNr": char(15),
        /// unique assignment number
        number "Nr": int,
        /// language, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// designation
        designation "Bezeichnung1": varchar(255),
        /// addition to the designation
        designation_addition "Bezeichnung2": varchar(255),
        /// short designation
        short_designation "KurzBezeichnung": varchar(255),
        /// country of origin, ISO 3166 alpha-2
        country "OrtLand": varchar(4),
        /// take the declaration away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// All prices of an article in a list (`Preisliste`).
    pub struct PriceListRow {
        /// price list type
        list "PreisListe": varchar(12),
        /// article number
        article "ArtNr": char(15),
        /// the tiers
        prices "Preis": list(PriceTierRow),
    }
}

wire_record! {
    /// A price tier within `Preisliste`.
    pub struct PriceTierRow {
        /// packaging unit id code
        unit "VPEinheit": varchar(30),
        /// currency, ISO 4217
        currency "WaehrAbk": char(4),
        /// price range
        range "Bereich": char(15),
        /// validity from quantity
        from "AbAnzahl": float,
        /// validity up to quantity
        until "BisAnzahl": float,
        /// list price
        price "PreisList": float,
        /// N net, B gross
        kind "Preisart": char(1),
        /// how many units the price is for
        basis "PosPreisBasis": float,
    }
}

wire_record! {
    /// One price tier (`Preis`).
    pub struct PriceRow {
        /// price list type
        list "PreisListe": varchar(12),
        /// article number
        article "ArtNr": char(15),
        /// packaging unit id code
        unit "VPEinheit": varchar(30),
        /// currency, ISO 4217
        currency "WaehrAbk": char(4),
        /// price range
        range "Bereich": char(15),
        /// validity from quantity
        from "AbAnzahl": float,
        /// validity up to quantity
        until "BisAnzahl": float,
        /// list price
        price "PreisList": float,
        /// N net, B gross
        kind "Preisart": char(1),
        /// how many units the price is for
        basis "PosPreisBasis": float,
        /// take the tier away
        remove "Loeschen": bool,
    }
}

impl PriceRow {
    /// The tier without its price list and article.
    pub(super) fn into_tier(self) -> PriceTierRow {
        PriceTierRow {
            unit: self.unit,
            currency: self.currency,
            range: self.range,
            from: self.from,
            until: self.until,
            price: self.price,
            kind: self.kind,
            basis: self.basis,
        }
    }
}

wire_record! {
    /// Stock at one place (`Bestand`).
    pub struct StockRow {
        /// article number
        article "ArtNr": char(15),
        /// warehouse location
        place "LagerOrt": varchar(60),
        /// location number
        location "StaoNr": int,
        /// stored stock before reservations
        quantity "LagerBestand": float,
        /// packaging unit id code
        unit "VPEinheit": varchar(30),
        /// stock range
        range "Bereich": char(15),
        /// whether the warehouse is released
        released "Freigegeben": bool,
        /// take the entry away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// A media record of an article (`ArtikelMedia`).
    pub struct MediaRow {
        /// unique key; without one the record of the same article, name, usage, language and country is
        /// meant, or a new one made
        key "IDKey": int,
        /// article number
        article "ArtNr": char(15),
        /// image format; without one the ending of the file's name
        image_format "AMDBildFormat": varchar(12),
        /// text format; without one `txt`
        text_format "AMDTextFormat": varchar(12),
        /// usage
        usage "AMDVerwendung": varchar(12),
        /// language, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// country, ISO 3166-1 alpha-2
        country "OrtLand": varchar(4),
        /// article group in place of the article's
        group "ArtGruppe": varchar(12),
        /// file name; without one that of `Datei`
        file_name "AMDDateiName": varchar(255),
        /// text
        text "AMDText": text,
        /// comment on the media file
        comment "Kommentar": varchar(255),
        /// path of the file, from the folder of the import file
        file "Datei": varchar(1000),
        /// the file itself in Base64
        base64 "Base64": text,
        /// SHA-256 of a file that is stored already
        hash "SHA256": char(64),
        /// take the record away
        remove "Loeschen": bool,
    }
}

wire_record! {
    /// An address of a customer (`KontaktAdr`, `LiefAdr`, `RechAdr`).
    pub struct AddressRow {
        /// address number; without one that of the customer's address at the same place, or a new one
        number "AdrNr": int,
        /// language, ISO 639-2/B
        language "AdrSprache": text,
        /// e-mail address
        email "EmailAdress": varchar(255),
        /// street and number
        street "AdrAdresse1": varchar(60),
        /// addition to the street
        street_addition "AdrAdresse2": varchar(60),
        /// salutation: 0 company or general, 1 mister, 2 miss
        salutation "AdrAnrede": int,
        /// fax
        fax "AdrFax": varchar(28),
        /// company name; this or `AdrName` is required
        company "AdrFirma": varchar(36),
        /// company name addition
        company_addition "AdrFirma2": varchar(36),
        /// first name
        first_name "AdrVorname": varchar(36),
        /// last name
        last_name "AdrName": varchar(36),
        /// mobile number
        mobile "AdrTelex": varchar(28),
        /// direct phone
        phone "AdrTf1": varchar(28),
        /// central phone
        central_phone "AdrTf2": varchar(28),
        /// country, ISO 3166-1 alpha-2
        country "OrtLand": varchar(4),
        /// town
        town "OrtName": varchar(48),
        /// postal code
        postal_code "OrtPLZ": varchar(10),
        /// whether the town is checked when the address changes
        check "AdrCheck": int,
        /// attributes; `RESTWEBSHOP` names the shops that see it when the company selects addresses
        attributes: list(Attribute),
    }
}

impl AddressRow {
    /// The address as a client would send it, and its attributes.
    pub(super) fn split(self) -> (AddressBody, Option<Vec<Attribute>>) {
        let body = AddressBody {
            language: self.language,
            email: self.email,
            street: self.street,
            street_addition: self.street_addition,
            salutation: self.salutation,
            fax: self.fax,
            company: self.company,
            company_addition: self.company_addition,
            first_name: self.first_name,
            last_name: self.last_name,
            mobile: self.mobile,
            phone: self.phone,
            central_phone: self.central_phone,
            country: self.country,
            town: self.town,
            postal_code: self.postal_code,
            check: self.check,
        };
        (body, self.attributes)
    }
}

wire_record! {
    /// A customer with addresses (`Kunde`).
    pub struct CustomerRow {
        /// customer number
        number "KundNr": char(8),
        /// designation
        designation "KundBez": varchar(24),
        /// currency, ISO 4217
        currency "WaehrAbk": char(4),
        /// language, ISO 639-2/B
        language "AdrSprache": varchar(4),
        /// industry id
        industry "BrancheID": varchar(12),
        /// payment type
        payment_type "FAKTZahlArt": char(1),
        /// payment methods, comma separated K, R
        payment_methods "ZahlungsMethode": text,
        /// shipping condition type
        shipping_condition "VBTyp": varchar(12),
        /// transport insurance type
        transport_insurance "TVTyp": varchar(12),
        /// expense calculation value
        expense_calculation "AUFT_SPESEN": varchar(32),
        /// comment
        comment "Kommentar": varchar(255),
        /// tax number
        tax_number "SteuerNummer": varchar(20),
        /// web site
        website "FirmenURL": varchar(20),
        /// credit limit, 0 = blocked
        credit_limit "KreditLimit": int,
        /// price list type
        price_list "PreisListe": varchar(12),
        /// cost bearer
        cost_bearer "KTNr": char(6),
        /// tax code in place of the articles'
        tax_code "WUSTCode": varchar(12),
        /// payment condition
        payment_condition "KundBedTyp": tinyint,
        /// attributes
        attributes: list(Attribute),
        /// contact address
        contact "KontaktAdr": object(AddressRow),
        /// delivery addresses
        delivery "LiefAdr": list(AddressRow),
        /// billing addresses
        billing "RechAdr": list(AddressRow),
    }
}
