//! Town check for an address form.

use serde::Serialize;
use smol_str::SmolStr;

use crate::domain::town::{Directory, Outcome};
use crate::values::codes::Country;
use crate::values::json::{AsJson, Json, Object};
use crate::values::problem::{Path, Problems};
use crate::wire::members::{Members, read_body};
use crate::wire::{AddressBody, Reading};

/// Comparison of postal code and town of an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TownAnswer {
    /// The country that was searched.
    pub country: Country,
    /// The postal code without blanks and country prefix.
    pub postal_code: SmolStr,
    /// The outcome with its details.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Compares `OrtPLZ` and `OrtName` of an address in the country `OrtLand`. Other fields are ignored, so a form can
/// call this while it is being filled in; a missing town counts as empty.
///
/// # Errors
/// When the country is missing or unknown, or one of the three fields has the wrong type.
pub fn town_answer(directory: &Directory, address: &impl AsJson) -> Result<TownAnswer, Problems> {
    let address = &*address.as_json();
    let place = place(address);
    read_body(
        &place,
        Reading::default(),
        |body: &AddressBody, problems| {
            let mut members = Members::new(&Path::ROOT, problems);
            let country = members.country("OrtLand", body.country.as_ref());
            let country = members.required("OrtLand", country)?;
            let typed = |member: &Option<SmolStr>| member.clone().unwrap_or_default();
            let (postal_code, town) = (typed(&body.postal_code), typed(&body.town));
            let check = directory.check(country, &postal_code, &town);
            Some(TownAnswer {
                country: check.country,
                postal_code: check.postal_code,
                outcome: check.outcome,
            })
        },
    )
}

/// Keeps only the fields for the town check.
fn place(address: &Json) -> Json {
    let Some(members) = address.as_object() else {
        return address.clone();
    };
    let mut place = Object::new();
    for name in ["OrtLand", "OrtPLZ", "OrtName"] {
        if let Some(value) = members.get(name) {
            place.insert(name.to_owned(), value.clone());
        }
    }
    Json::Object(place)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::problem::Code;

    fn answer(address: &Value) -> Result<Value, Vec<(String, Code)>> {
        let rows = "CH,8001,Zürich\nCH,3000,Bern\nCH,1000,Lausanne 25\nCH,1000,Lausanne 26\n";
        let directory = Directory::from_csv(&format!("country,postal_code,town\n{rows}")).unwrap();
        let place = |problem: crate::values::problem::Problem| (problem.path, problem.code);
        town_answer(&directory, address)
            .map(|answer| serde_json::to_value(answer).unwrap())
            .map_err(|problems| problems.into_vec().into_iter().map(place).collect())
    }

    #[test]
    fn an_outcome_stands_beside_country_and_code() {
        assert_eq!(
            answer(&json!({"OrtLand": "ch", "OrtPLZ": "CH-8001", "OrtName": "zuerich"})).unwrap(),
            json!({
                "country": "CH", "postal_code": "8001", "outcome": "corrected",
                "from": "zuerich", "to": "Zürich", "stage": "normalised"
            })
        );
        let elsewhere = json!({"OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Bern"});
        assert_eq!(
            answer(&elsewhere).unwrap()["places"][0]["postal_code"],
            "3000"
        );
    }

    #[test]
    fn a_form_may_ask_before_it_is_filled_in() {
        let half = json!({"OrtLand": "CH", "OrtPLZ": "1000", "AdrAnrede": "?"});
        assert_eq!(answer(&half).unwrap()["outcome"], "ambiguous");
        let empty = json!({"OrtLand": "CH", "OrtName": "Bern"});
        assert_eq!(answer(&empty).unwrap()["outcome"], "unknown_postal_code");
    }

    #[test]
    fn the_country_is_needed() {
        let place = |path: &str, code| Err(vec![(path.to_owned(), code)]);
        assert_eq!(answer(&json!({})), place("OrtLand", Code::Required));
        assert_eq!(
            answer(&json!({"OrtLand": "SUI"})),
            place("OrtLand", Code::UnknownCountry)
        );
        assert_eq!(
            answer(&json!({"OrtLand": "CH", "OrtPLZ": 8001})),
            place("OrtPLZ", Code::WrongType)
        );
        assert_eq!(answer(&json!([])), place("", Code::WrongType));
    }
}
