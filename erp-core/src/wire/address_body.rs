//! Addresses as clients send them (interface: "Address record (input)" and `PATCH /www/adressen`).

use super::record::wire_record;

wire_record! {
    /// `Adressen` of a body.
    pub struct AddressesBody {
        /// Contact address.
        contact "KontaktAdr": object(AddressBody),
        /// Delivery address.
        delivery "LiefAdr": object(AddressBody),
        /// Billing address.
        billing "RechAdr": object(AddressBody),
    }
}

wire_record! {
    /// `Adressen` of a customer.
    pub struct CustomerAddressesBody {
        /// Contact address.
        contact "KontaktAdr": object(AddressBody) required,
        /// Delivery address.
        delivery "LiefAdr": object(AddressBody),
        /// Billing address.
        billing "RechAdr": object(AddressBody),
    }
}

impl From<CustomerAddressesBody> for AddressesBody {
    fn from(body: CustomerAddressesBody) -> Self {
        Self {
            contact: body.contact,
            delivery: body.delivery,
            billing: body.billing,
        }
    }
}

wire_record! {
    /// An address in the body of an order, offer or customer (table "input").
    pub struct AddressBody {
        /// Language, ISO 639-2/B; required.
        language "AdrSprache": text required,
        /// E-mail address.
        email "EmailAdress": varchar(255),
        /// Street and number; required.
        street "AdrAdresse1": varchar(60) required,
        /// Addition to the street.
        street_addition "AdrAdresse2": varchar(60),
        /// Salutation: 0 company or general, 1 mister, 2 miss; required.
        salutation "AdrAnrede": int required,
        /// Fax.
        fax "AdrFax": varchar(28),
        /// Company name; this or `AdrName` is required.
        company "AdrFirma": varchar(36),
        /// Company name addition.
        company_addition "AdrFirma2": varchar(36),
        /// First name.
        first_name "AdrVorname": varchar(36),
        /// Last name; this or `AdrFirma` is required.
        last_name "AdrName": varchar(36),
        /// Mobile number.
        mobile "AdrTelex": varchar(28),
        /// Direct phone.
        phone "AdrTf1": varchar(28),
        /// Central phone.
        central_phone "AdrTf2": varchar(28),
        /// Country, ISO 3166-1 alpha-2; required.
        country "OrtLand": varchar(4) required,
        /// Town; required.
        town "OrtName": varchar(48) required,
        /// Postal code; required.
        postal_code "OrtPLZ": varchar(10) required,
        /// Whether the town is checked against the postal code: 1 yes, 0 no; default 1 for Swiss addresses, else 0.
        check "AdrCheck": int,
    }
}

wire_record! {
    /// Body of `PATCH /www/adressen/{AdrNr}`: the members to be changed.
    pub struct AddressPatchBody {
        /// Language, ISO 639-2/B.
        language "AdrSprache": char(3),
        /// E-mail address.
        email "EmailAdress": varchar(255),
        /// Street and number.
        street "AdrAdresse1": varchar(60),
        /// Addition to the street.
        street_addition "AdrAdresse2": varchar(60),
        /// Salutation: 0 company or general, 1 mister, 2 miss.
        salutation "AdrAnrede": int,
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
        country "OrtLand": varchar(4),
        /// Town.
        town "OrtName": varchar(48),
        /// Postal code.
        postal_code "OrtPLZ": varchar(10),
    }
}
