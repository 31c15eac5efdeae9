//! Changes to an address (`PATCH /www/adressen/{AdrNr}`).

use super::Address;
use crate::values::codes::Country;
use crate::values::json::{AsJson, Json};
use crate::values::problem::{Path, Problems};
use crate::wire::{PatchRecord as _, Reading, Scope};

// rule: R-END-69
/// The address fields that a client wants to change. An empty text removes an optional field; a field that was not
/// sent (or is `null`) stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressChange {
    sent: Json,
}

impl AddressChange {
    /// Reads a body: the change, and every problem of the members that are sent, including a required one that is empty.
    #[must_use]
    pub fn read(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let sent = body.as_json().into_owned();
        let mut problems = Problems::new();
        // The problems are those of the members that are sent, whatever address they change.
        Address::blank(Country::CH).patch_by(&sent, how, &mut problems);
        (Self { sent }, problems)
    }

    // rule: R-END-70
    /// The changed address; `None`, which is a problem, when neither a company nor a last name would be left.
    pub fn apply(&self, address: &Address, problems: &mut Problems) -> Option<Address> {
        let mut changed = address.clone();
        changed.patch_by(&self.sent, Reading::default(), &mut Problems::new());
        let named = changed.company.is_some() || changed.last_name.is_some();
        Scope::new(Reading::default(), &Path::ROOT, problems)
            .one_of(["AdrFirma", "AdrName"], named);
        named.then_some(changed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::problem::Code;
    use crate::values::text::Text;

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
        let rendered = crate::domain::response::AddressRecord::from(&changed(&body).unwrap());
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
