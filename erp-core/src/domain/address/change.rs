//! Changes to an address (`PATCH /www/adressen/{AdrNr}`).

use smol_str::SmolStr;

use super::{Address, Salutation};
use crate::values::codes::{Country, Language};
use crate::values::json::{AsJson, Json};
use crate::values::problem::{Path, Problems};
use crate::values::text::Text;
use crate::wire::members::{Members, present, read_partial};
use crate::wire::{AddressBody, AddressPatchBody, Reading, Record as _};

// rule: R-END-69
/// The address fields that a client wants to change. An empty text removes an optional field; a field that was not
/// sent (or is `null`) stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressChange {
    language: Option<Language>,
    salutation: Option<Salutation>,
    street: Option<Text<60>>,
    country: Option<Country>,
    postal_code: Option<Text<10>>,
    town: Option<Text<48>>,
    company: Change<36>,
    company_addition: Change<36>,
    first_name: Change<36>,
    last_name: Change<36>,
    street_addition: Change<60>,
    email: Change<255>,
    mobile: Change<28>,
    phone: Change<28>,
    central_phone: Change<28>,
    fax: Change<28>,
}

/// A change of an optional text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Change<const MAX: usize> {
    #[default]
    Keep,
    Clear,
    Set(Text<MAX>),
}

impl<const MAX: usize> Change<MAX> {
    fn check(name: &str, value: Option<&SmolStr>, members: &mut Members<'_, '_>) -> Self {
        match value {
            None => Self::Keep,
            Some(_) if present(value).is_none() => Self::Clear,
            Some(_) => members.name(name, value).map_or(Self::Keep, Self::Set),
        }
    }

    // rule: R-END-70
    fn apply(&self, text: &mut Option<Text<MAX>>) {
        match self {
            Self::Keep => {}
            Self::Clear => *text = None,
            Self::Set(new) => *text = Some(new.clone()),
        }
    }
}

impl AddressChange {
    /// Reads a body: the change by its fields without a problem, and every problem, including a required field that
    /// was sent empty.
    #[must_use]
    pub fn read(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let body = &*body.as_json();
        read_partial(body, how, |body: &AddressPatchBody, problems| {
            let members = &mut Members::new(&Path::ROOT, problems);
            Self::refuse_empty(body, members);
            Self {
                language: members.language("AdrSprache", body.language.as_ref()),
                salutation: Salutation::check(body.salutation, members),
                street: members.name("AdrAdresse1", body.street.as_ref()),
                country: members.country("OrtLand", body.country.as_ref()),
                postal_code: members.key("OrtPLZ", body.postal_code.as_ref()),
                town: members.name("OrtName", body.town.as_ref()),
                company: Change::check("AdrFirma", body.company.as_ref(), members),
                company_addition: Change::check(
                    "AdrFirma2",
                    body.company_addition.as_ref(),
                    members,
                ),
                first_name: Change::check("AdrVorname", body.first_name.as_ref(), members),
                last_name: Change::check("AdrName", body.last_name.as_ref(), members),
                street_addition: Change::check(
                    "AdrAdresse2",
                    body.street_addition.as_ref(),
                    members,
                ),
                email: Change::check("EmailAdress", body.email.as_ref(), members),
                mobile: Change::check("AdrTelex", body.mobile.as_ref(), members),
                phone: Change::check("AdrTf1", body.phone.as_ref(), members),
                central_phone: Change::check("AdrTf2", body.central_phone.as_ref(), members),
                fax: Change::check("AdrFax", body.fax.as_ref(), members),
            }
        })
    }

    /// Reports a field that was sent empty although an address requires it.
    fn refuse_empty(body: &AddressPatchBody, members: &mut Members<'_, '_>) {
        let sent = body.to_object();
        let required = AddressBody::SCHEMA.fields.iter();
        for field in required.filter(|field| field.required) {
            let text = sent.get(field.wire).and_then(Json::as_str);
            if text.is_some_and(|text| text.trim().is_empty()) {
                members.required::<()>(field.wire, None);
            }
        }
    }

    /// Whether no field changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The changed address; `None`, which is a problem, when neither a company nor a last name would be left.
    pub fn apply(&self, address: &Address, problems: &mut Problems) -> Option<Address> {
        let mut changed = address.clone();
        changed.language = self.language.unwrap_or(changed.language);
        changed.salutation = self.salutation.unwrap_or(changed.salutation);
        changed.street = self.street.clone().unwrap_or(changed.street);
        changed.country = self.country.unwrap_or(changed.country);
        changed.postal_code = self.postal_code.clone().unwrap_or(changed.postal_code);
        changed.town = self.town.clone().unwrap_or(changed.town);
        self.company.apply(&mut changed.company);
        self.company_addition.apply(&mut changed.company_addition);
        self.first_name.apply(&mut changed.first_name);
        self.last_name.apply(&mut changed.last_name);
        self.street_addition.apply(&mut changed.street_addition);
        self.email.apply(&mut changed.email);
        self.mobile.apply(&mut changed.mobile);
        self.phone.apply(&mut changed.phone);
        self.central_phone.apply(&mut changed.central_phone);
        self.fax.apply(&mut changed.fax);
        let named = changed.company.is_some() || changed.last_name.is_some();
        Members::new(&Path::ROOT, problems).one_of(["AdrFirma", "AdrName"], named);
        named.then_some(changed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::problem::Code;

    fn address() -> Address {
        Address::parse(&crate::domain::address::tests::body(), Reading::default()).unwrap()
    }

    fn changed(body: &Value) -> Result<Address, Vec<(String, Code)>> {
        let (change, mut problems) = AddressChange::read(body, Reading::default());
        let changed = change.apply(&address(), &mut problems);
        problems.or_else_value(changed).map_err(|problems| {
            problems
                .into_vec()
                .into_iter()
                .map(|p| (p.path, p.code))
                .collect()
        })
    }

    // rule: R-END-69
    #[test]
    fn every_member_can_be_changed() {
        let mut body = json!({
            "AdrSprache": "fre", "EmailAdress": "b@example.com", "AdrAdresse1": "Rue 2",
            "AdrAdresse2": "Cour", "AdrAnrede": 1, "AdrFax": "1", "AdrFirma": "Exemple SA",
            "AdrFirma2": "Achats", "AdrVorname": "Luc", "AdrName": "Favre", "AdrTelex": "2",
            "AdrTf1": "3", "AdrTf2": "4", "OrtLand": "FR", "OrtName": "Lyon", "OrtPLZ": "69001"
        });
        let rendered = crate::wire::AddressRecord::from(&changed(&body).unwrap());
        body["AdrAnredeText"] = json!("Monsieur");
        assert_eq!(serde_json::to_value(rendered).unwrap(), body);
    }

    // rule: R-END-70
    #[test]
    fn what_was_not_sent_stays() {
        assert_eq!(changed(&json!({})), Ok(address()));
        assert_eq!(
            changed(&json!({"OrtName": null, "AdrFirma": null})),
            Ok(address())
        );
        let (nothing, _) = AddressChange::read(&json!({}), Reading::default());
        assert!(nothing.is_empty());
        let moved = changed(&json!({"AdrAdresse1": "Gasse 9"})).unwrap();
        let expected = Address {
            street: Text::new("Gasse 9").unwrap(),
            ..address()
        };
        assert_eq!(moved, expected);
    }

    // rule: R-END-70
    #[test]
    fn an_empty_text_clears_an_optional_member_only() {
        let person = changed(&json!({"AdrFirma": "", "AdrName": "Müller"})).unwrap();
        assert_eq!(
            (person.company, person.last_name.as_deref()),
            (None, Some("Müller"))
        );
        let required = |path: &str| [(path.to_owned(), Code::Required)];
        assert_eq!(
            changed(&json!({"AdrFirma": ""})).unwrap_err(),
            required("AdrFirma")
        );
        for name in ["AdrSprache", "AdrAdresse1", "OrtLand", "OrtPLZ", "OrtName"] {
            for blank in ["", " "] {
                assert_eq!(changed(&json!({name: blank})).unwrap_err(), required(name));
            }
        }
    }

    // rule: R-END-69
    #[test]
    fn broken_members_are_refused() {
        for (body, path, code) in [
            (
                json!({"AdrSprache": "deu"}),
                "AdrSprache",
                Code::UnknownLanguage,
            ),
            (json!({"AdrSprache": "ger "}), "AdrSprache", Code::TooLong),
            (json!({"AdrAnrede": 9}), "AdrAnrede", Code::UnknownValue),
            (json!({"OrtLand": "QQ"}), "OrtLand", Code::UnknownCountry),
        ] {
            assert_eq!(changed(&body).unwrap_err(), [(path.to_owned(), code)]);
        }
    }
}
