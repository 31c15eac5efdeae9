//! Addresses in the forms of orders and offers, and of the address endpoints (interface: "Address
//! record").

use super::Link;
use super::record::wire_record;

wire_record! {
    /// `Adressen` of an order or offer: always all three, also when they are identical.
    pub struct OrderAddresses {
        /// Contact address.
        contact "KontaktAdr": object(OrderAddress),
        /// Delivery address.
        delivery "LiefAdr": object(OrderAddress),
        /// Billing address.
        billing "RechAdr": object(OrderAddress),
    }
}

wire_record! {
    /// An address in orders and offers (table "response, in orders and offers").
    pub struct OrderAddress {
        /// Address number.
        address_number "AdrNr": int,
        /// Company name.
        company "AdrFirma": varchar(36),
        /// Company name addition.
        company_addition "AdrFirma2": varchar(36),
        /// First name.
        first_name "AdrVorname": varchar(36),
        /// Last name.
        last_name "AdrName": varchar(36),
        /// Address line 1; longer than declared when it was sent so (up to 60 characters).
        street "AdrAdresse1": varchar(36) required,
        /// Address line 2; longer than declared when it was sent so (up to 60 characters).
        street_addition "AdrAdresse2": varchar(36),
        /// Mobile number.
        mobile "AdrTelex": varchar(28),
        /// Direct phone.
        phone "AdrTf1": varchar(28),
        /// Central phone.
        central_phone "AdrTf2": varchar(28),
        /// Fax.
        fax "AdrFax": varchar(28),
        /// Town.
        town "OrtName": varchar(48) required,
        /// Postal code.
        postal_code "OrtPLZ": varchar(10) required,
        /// Country, ISO 3166-1 alpha-2.
        country "OrtLand": varchar(4) required,
        /// Country, ISO 3166-1 alpha-2; the same value as `OrtLand`.
        country_iso "ISOLandA2": varchar(4) required,
        /// E-mail address.
        email "EmailAdress": varchar(255),
    }
}

wire_record! {
    /// An address of the address endpoints (table "response of the address endpoints").
    pub struct AddressRecord {
        /// Address number; in lists.
        address_number "AdrNr": int,
        /// Language, ISO 639-2/B.
        language "AdrSprache": varchar(4) required,
        /// E-mail address.
        email "EmailAdress": varchar(255),
        /// Street and number.
        street "AdrAdresse1": varchar(60) required,
        /// Addition to the street.
        street_addition "AdrAdresse2": varchar(60),
        /// Salutation: 0 company or general, 1 mister, 2 miss.
        salutation "AdrAnrede": int required,
        /// Salutation text in the language of the address.
        salutation_text "AdrAnredeText": text,
        /// Fax.
        fax "AdrFax": varchar(28),
        /// Company name.
        company "AdrFirma": varchar(36),
        /// Company name addition.
        company_addition "AdrFirma2": varchar(36),
        /// First name.
        first_name "AdrVorname": varchar(36),
        /// Last name.
        last_name "AdrName": varchar(36),
        /// Mobile number.
        mobile "AdrTelex": varchar(28),
        /// Direct phone.
        phone "AdrTf1": varchar(28),
        /// Central phone.
        central_phone "AdrTf2": varchar(28),
        /// Country, ISO 3166-1 alpha-2.
        country "OrtLand": varchar(4) required,
        /// Town.
        town "OrtName": varchar(48) required,
        /// Postal code.
        postal_code "OrtPLZ": varchar(10) required,
        /// Linked resources; in lists.
        links: list(Link),
    }
}

wire_record! {
    /// `data` of `GET /www/adressen?debinr=`: the addresses of a customer by their use.
    pub struct AddressesOfCustomer {
        /// Contact addresses.
        contact "KundKontakt": list(AddressRecord) required,
        /// Delivery addresses.
        delivery "KundLief": list(AddressRecord) required,
        /// Billing addresses.
        billing "KundRech": list(AddressRecord) required,
    }
}

wire_record! {
    /// `data` of `GET /www/adressensuche`: the one customer that was found.
    pub struct AddressSearchResult {
        /// Delivery address key.
        delivery_address "KundLief": int,
        /// Billing address key.
        billing_address "KundRech": int,
        /// Contact address key.
        contact_address "KundKontakt": int,
        /// Customer number.
        customer_number "DebiNr": text,
        /// Links to the addresses and the customer.
        links: list(Link),
    }
}
