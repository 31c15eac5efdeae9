//! Checks the town of an address.

use super::{Directory, TownMatch, TownOutcome};
use crate::domain::address::Address;
use crate::values::text::Text;

impl Directory {
    /// Checks the town of an address if the check [applies](Address::wants_check), and returns the address to store:
    /// with the normalised postal code if the directory covers its country, and with the listed spelling of the town
    /// if it was [corrected](TownOutcome::Corrected). Nothing else changes, not even the country `CH` of an address in
    /// Liechtenstein.
    #[must_use]
    pub fn check_address(&self, mut address: Address) -> (Address, Option<TownMatch>) {
        if !address.wants_check() {
            return (address, None);
        }
        let check = self.check(address.country, &address.postal_code, &address.town);
        if check.outcome != TownOutcome::NotCovered
            && let Ok(postal_code) = Text::new(&check.postal_code)
        {
            address.postal_code = postal_code;
        }
        if let TownOutcome::Corrected { to, .. } = &check.outcome
            && let Ok(town) = Text::new(to)
        {
            address.town = town;
        }
        (address, Some(check))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::address::tests::body;
    use crate::values::codes::Country;
    use crate::wire::Reading;

    fn checked(
        country: &str,
        code: &str,
        town: &str,
        check: Option<i32>,
    ) -> (Address, Option<TownMatch>) {
        let rows = "CH,8001,Zürich\nCH,3000,Bern\nLI,9490,Vaduz\n";
        let directory = Directory::from_csv(&format!("country,postal_code,town\n{rows}")).unwrap();
        let mut body = body();
        body["OrtLand"] = json!(country);
        body["OrtPLZ"] = json!(code);
        body["OrtName"] = json!(town);
        body["AdrCheck"] = json!(check);
        directory.check_address(Address::parse(&body, Reading::default()).unwrap())
    }

    // rule: R-TWN-01
    #[test]
    fn a_correction_changes_town_and_code() {
        let (address, check) = checked("CH", "CH-8001", "zuerich", None);
        assert_eq!((&*address.postal_code, &*address.town), ("8001", "Zürich"));
        assert_eq!(check.unwrap().outcome.as_str(), "corrected");
    }

    // rule: R-TWN-01
    #[test]
    fn any_other_outcome_keeps_the_town() {
        for (code, town, outcome) in [
            ("CH-8001", "Bern", "conflict"),
            ("CH-8001", "Irgendwo", "ambiguous"),
            ("CH-8888", "Zürich", "unknown_postal_code"),
            ("CH-8001", "Zürich", "unchanged"),
        ] {
            let (address, check) = checked("CH", code, town, Some(1));
            assert_eq!(address.town, *town);
            assert!(!address.postal_code.starts_with("CH"));
            assert_eq!(check.unwrap().outcome.as_str(), outcome);
        }
    }

    // rule: R-TWN-05
    #[test]
    fn the_country_is_never_changed() {
        let (address, check) = checked("CH", "9490", "vaduz", None);
        assert_eq!((address.country, &*address.town), (Country::CH, "Vaduz"));
        assert_eq!(check.unwrap().country, Country::LI);
    }

    // rule: R-TWN-01
    #[test]
    fn what_is_not_wanted_or_not_covered_stays_as_sent() {
        let (address, check) = checked("CH", "CH-8001", "zuerich", Some(0));
        assert_eq!(
            (&*address.postal_code, &*address.town),
            ("CH-8001", "zuerich")
        );
        assert_eq!(check, None);
        assert_eq!(checked("DE", "D-10115", "Berlin", None).1, None);
        let (address, check) = checked("DE", "D-10115", "Berlin", Some(1));
        assert_eq!(address.postal_code, *"D-10115");
        assert_eq!(check.unwrap().outcome, TownOutcome::NotCovered);
    }
}
