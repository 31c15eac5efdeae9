//! Articles with packaging units, price tiers, stock and declarations (interface: "Article (Artikel),
//! response shape").

use super::record::wire_record;
use super::{Attribute, Link};

wire_record! {
    /// An article, alone or as an entry of the article list.
    pub struct Article {
        /// Article number.
        article_number "ArtNr": char(15),
        /// Stock-managed: J yes, N no.
        stock_managed "AnLager": char(1),
        /// Article description.
        description "ArtBez": varchar(255),
        /// Status: 1 active; further values are open.
        status "ArtikelStatus": int,
        /// Article unit.
        unit "Einheit": varchar(12),
        /// Colour marker #rrggbb; not the colour of the article.
        colour "Farbe": varchar(12),
        /// Stored tax rate, else the standard rate.
        tax_rate "WUSTSatz": float,
        /// Time of the last modification.
        modified_at "GeaendertAmUTC": date_time,
        /// Article group.
        group "ArtGruppe": char(12),
        /// Article class.
        class "ArtKlasse": char(8),
        /// Currency of the prices, ISO 4217.
        currency "WaehrAbk": char(4),
        /// Procurement type.
        procurement_type "BeschaffungsArt": char(1),
        /// Processing type: C batch-managed, N not batch-managed.
        processing_type "VerarbeitungsArt": char(1),
        /// Linked resources.
        links: list(Link),
        /// Attributes of the article.
        attributes: list(Attribute),
        /// Packaging units: J exist, N do not, then price and stock stand on the article.
        has_packaging "HatVPE": char(1),
        /// Packaging units, when `HatVPE` is J.
        packaging_units "Verpackungen": list(PackagingUnit),
        /// Price tiers of the article, when `HatVPE` is N.
        prices "Preis": list(PriceTier),
        /// Stock entries.
        stock "Bestand": list(StockEntry),
        /// Declarations of origin, only in the response for a single article.
        declarations "Deklaration": list(Declaration),
        /// Weight of the article, only in the response for a single article.
        weight "ArtGewicht": float,
    }
}

wire_record! {
    /// An entry of `Verpackungen`.
    pub struct PackagingUnit {
        /// Packaging unit id code.
        unit "VPEinheit": varchar(30) required,
        /// EAN of the packaging.
        ean "VPEEANNr": varchar(30),
        /// Packaging designation.
        designation "VPBezeichnung": text,
        /// Conversion factor from article to packaging weight.
        weight_factor "Gewicht": float,
        /// Weight of the packaging unit.
        weight "VPEGewicht": float,
        /// Weight of the content.
        content_weight "GewichtInhalt": float,
        /// Quantity factor to the base unit.
        factor "Faktor": float required,
        /// Price tiers of the packaging unit.
        prices "Preis": list(PriceTier),
        /// Stock of the packaging unit.
        stock "Bestand": list(StockEntry),
    }
}

wire_record! {
    /// An entry of `Preis`.
    pub struct PriceTier {
        /// Article number.
        article_number "ArtNr": char(15) required,
        /// Price range.
        range "Bereich": char(15),
        /// Validity from this quantity.
        from_quantity "AbAnzahl": float,
        /// Validity up to this quantity; absent in the last tier.
        to_quantity "BisAnzahl": float,
        /// List price in `WaehrAbk`.
        price "PreisList": float required,
        /// Price kind: N net, B gross.
        kind "Preisart": char(1) required,
        /// Packaging unit id code.
        packaging_unit "VPEinheit": varchar(30),
        /// Time of the last modification.
        modified_at "GeaendertAmUTC": date_time,
        /// Linked resources.
        links: list(Link),
    }
}

wire_record! {
    /// An entry of `Bestand`: stock after subtracting reservations in released warehouses.
    pub struct StockEntry {
        /// Article number.
        article_number "ArtNr": char(15) required,
        /// Warehouse location.
        warehouse "LagerOrt": text,
        /// Location number.
        location "StaoNr": int,
        /// Stock after reservation; may be negative.
        available "LagerBestand": int required,
        /// Packaging unit id code.
        packaging_unit "VPEinheit": varchar(30),
        /// Stock range.
        range "Bereich": char(15),
        /// Linked resources.
        links: list(Link),
    }
}

wire_record! {
    /// An entry of `Deklaration`: a declaration of origin.
    pub struct Declaration {
        /// Unique assignment number.
        number "Nr": int required,
        /// Language, ISO 639-2/B.
        language "AdrSprache": char(4),
        /// Article number.
        article_number "ArtNr": char(15) required,
        /// First designation.
        designation1 "Bezeichnung1": text,
        /// Second designation.
        designation2 "Bezeichnung2": text,
        /// Short designation.
        short_designation "KurzBezeichnung": text,
        /// Country of origin, ISO 3166-1 alpha-2.
        country "OrtLand": varchar(4),
        /// Linked resources.
        links: list(Link),
    }
}
