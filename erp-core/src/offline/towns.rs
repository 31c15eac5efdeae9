//! Town check for an address form.

use erp_derive::Record;
use smol_str::SmolStr;

use crate::domain::town::{Directory, TownMatch};
use crate::values::codes::Country;
use crate::values::json::AsJson;
use crate::values::problem::Problems;
use crate::wire::{Reading, Record as _};

/// Compares `OrtPLZ` and `OrtName` of an address in the country `OrtLand`. Other fields are ignored, so a form can
/// call this while it is being filled in; a missing town counts as empty.
///
/// # Errors
/// When the country is missing or unknown, or one of the three fields has the wrong type.
pub fn town_answer(directory: &Directory, address: &impl AsJson) -> Result<TownMatch, Problems> {
    let place = TypedTown::read(address, Reading::default())?;
    Ok(directory.check(place.country, &place.postal_code, &place.town))
}

/// The members of an address that the check needs.
#[derive(Record)]
#[record(Body = "TypedTown")]
struct TypedTown {
    /// Country.
    #[wire("OrtLand", required)]
    country: Country,
    /// Postal code.
    #[wire("OrtPLZ", varchar(10), default)]
    postal_code: SmolStr,
    /// Town.
    #[wire("OrtName", varchar(48), default)]
    town: SmolStr,
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
