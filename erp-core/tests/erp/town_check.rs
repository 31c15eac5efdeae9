//! The check of towns against postal codes, over all official pairs of Switzerland and Liechtenstein.
//!
//! `cargo test -p erp-core --test erp town_check -- --nocapture` prints the rates.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use erp_core::codes::Country;
    use erp_core::town::{Directory, Stage, TownEntry, TownKind, TownOutcome};

    use crate::town_check_support::spelling;
    use crate::town_check_support::tally::{Tally, directory, official};
    use crate::town_check_support::typing::{Typist, cut_to_60_percent};

    const ROUNDS: u64 = 1;

    fn stage(code: &str, town: &str) -> (String, Stage) {
        match directory().check(Country::CH, code, town).outcome {
            TownOutcome::Corrected { to, stage, from } if from == town => (to.to_string(), stage),
            other => panic!("{code} {town}: {other:?}"),
        }
    }

    fn outcome(code: &str, town: &str) -> TownOutcome {
        directory().check(Country::CH, code, town).outcome
    }

    // rule: R-TWN-01
    #[test]
    fn other_spellings_are_recognised() {
        for (class, spell) in spelling::CLASSES {
            let mut tally = Tally::new(class);
            for entry in official() {
                for typed in spell(entry) {
                    tally.check(entry, &typed);
                }
            }
            tally.report();
            assert!(tally.pairs > 0, "{class}");
            assert_eq!(tally.wrong, 0, "{class}: {:?}", tally.examples);
            assert!(
                tally.right * 100 >= tally.pairs * 99,
                "{class}: {:?}",
                tally.examples
            );
        }
    }

    // rule: R-TWN-01
    #[test]
    fn one_typing_error_is_corrected() {
        for (class, mistake) in Typist::MISTAKES {
            let mut tally = Tally::new(class);
            for (seed, entry) in official().enumerate() {
                let mut typist = Typist::new(seed);
                for _ in 0..ROUNDS {
                    tally.check(entry, &mistake(&mut typist, &entry.town));
                }
            }
            tally.report();
            assert_eq!(tally.wrong, 0, "{class}: {:?}", tally.examples);
            assert!(
                tally.right * 100 >= tally.pairs * 99,
                "{class}: {:?}",
                tally.examples
            );
        }
    }

    // rule: R-TWN-01
    #[test]
    fn two_typing_errors_are_mostly_corrected() {
        let mut tally = Tally::new("two typing errors");
        for (seed, entry) in official().enumerate() {
            let mut typist = Typist::new(seed);
            for _ in 0..2 * ROUNDS {
                let once = typist.any_mistake(&entry.town);
                let twice = typist.any_mistake(&once);
                tally.check(entry, &twice);
            }
        }
        tally.report();
        assert_eq!(tally.wrong, 0, "{:?}", tally.examples);
        assert!(
            tally.right * 100 >= tally.pairs * 94,
            "{:?}",
            tally.examples
        );
    }

    // rule: R-TWN-01
    #[test]
    fn a_shortened_town_is_seldom_taken_for_another() {
        let mut tally = Tally::new("cut to 60 %");
        for entry in official() {
            tally.check(entry, cut_to_60_percent(&entry.town));
        }
        tally.report();
        // A shortened name may be another listed name; if it is kept, that counts against the limit, too.
        assert!(
            (tally.wrong + tally.other_name) * 200 <= tally.pairs,
            "{:?}",
            tally.examples
        );
        assert!(
            tally.right * 100 >= tally.pairs * 80,
            "{:?}",
            tally.examples
        );
    }

    fn beginning(entry: &TownEntry) -> String {
        entry.town.chars().take(3).collect()
    }

    /// The codes next to the town's own, those of towns with a similar start, and some far away.
    fn other_codes<'a>(
        pairs: &[&'a TownEntry],
        alike: &BTreeMap<String, Vec<&'a TownEntry>>,
        at: usize,
    ) -> Vec<&'a TownEntry> {
        const NEXT: usize = 4;
        const FAR: usize = 8;
        let mut typist = Typist::new(at);
        let next = pairs[at.saturating_sub(NEXT)..pairs.len().min(at + NEXT)].iter();
        let far = (0..FAR).map(|_| pairs[typist.below(pairs.len())]);
        let all = next
            .copied()
            .chain(far)
            .chain(alike[&beginning(pairs[at])].iter().copied());
        all.filter(|other| !is_listed(other, &pairs[at].town))
            .collect()
    }

    fn is_listed(at: &TownEntry, town: &str) -> bool {
        let here =
            |entry: &&TownEntry| entry.country == at.country && entry.postal_code == at.postal_code;
        let start = directory().entries().partition_point(|entry| {
            (entry.country, entry.postal_code.as_str()) < (at.country, at.postal_code.as_str())
        });
        directory().entries()[start..]
            .iter()
            .take_while(here)
            .any(|entry| entry.town == town)
    }

    // rule: R-TWN-01
    #[test]
    fn a_town_with_the_code_of_another_is_never_replaced() {
        let pairs: Vec<&TownEntry> = official().collect();
        let mut alike: BTreeMap<String, Vec<&TownEntry>> = BTreeMap::new();
        for entry in &pairs {
            alike.entry(beginning(entry)).or_default().push(entry);
        }
        let (mut checked, mut conflicts) = (0, 0);
        for (at, entry) in pairs.iter().enumerate() {
            for other in other_codes(&pairs, &alike, at) {
                // Half of them in lower case, so that the result does not depend on the exact spelling.
                let lower_case = (checked % 2 == 1).then(|| entry.town.to_lowercase());
                let typed = lower_case.unwrap_or_else(|| entry.town.to_string());
                let check = directory().check(other.country, &other.postal_code, &typed);
                checked += 1;
                conflicts += usize::from(matches!(check.outcome, TownOutcome::Conflict { .. }));
                // `1000 lausanne` becomes `Lausanne`, because this code belongs to post-office boxes there.
                let is_replaced = matches!(&check.outcome, TownOutcome::Corrected { to, .. } if *to != entry.town);
                assert!(
                    !is_replaced,
                    "{} {typed}: {:?}",
                    other.postal_code, check.outcome
                );
            }
        }
        println!("another town's code: {checked} checked, {conflicts} conflicts, 0 replaced");
        assert!(conflicts * 100 >= checked * 99, "{conflicts} of {checked}");
    }

    // rule: R-TWN-01, D-ADR-02
    #[test]
    fn a_conflict_names_where_the_town_is() {
        let TownOutcome::Conflict { places } = outcome("8001", "basel") else {
            panic!()
        };
        assert!(
            places
                .iter()
                .all(|place| place.town == "Basel" && place.region == "BS")
        );
        assert_eq!(places[0].postal_code, "4001");
        let TownOutcome::Conflict { places } = outcome("8001", "Genf") else {
            panic!()
        };
        assert_eq!(places[0].town, "Genève");
        let TownOutcome::Conflict { places } = outcome("8001", "Val-de-Travers") else {
            panic!()
        };
        assert!(places.iter().any(|place| place.town == "Couvet"));
        let TownOutcome::Conflict { places } = outcome("8001", "Bsael") else {
            panic!()
        };
        assert_eq!(places[0].town, "Basel");
    }

    // rule: R-TWN-04
    #[test]
    fn every_code_of_boxes_is_known() {
        let is_box = |entry: &&TownEntry| entry.kind == TownKind::PoBox;
        let boxes: Vec<&TownEntry> = directory().entries().iter().filter(is_box).collect();
        for entry in &boxes {
            assert_eq!(
                outcome(&entry.postal_code, &entry.town),
                TownOutcome::Unchanged,
                "{entry:?}"
            );
        }
        let codes: BTreeSet<&str> = boxes
            .iter()
            .map(|entry| entry.postal_code.as_str())
            .collect();
        println!(
            "boxes: {} names with {} codes, all known",
            boxes.len(),
            codes.len()
        );
        assert_eq!((boxes.len(), codes.len()), (346, 236));
        for (code, town) in [("8021", "Zürich"), ("1211", "Genève"), ("3041", "Bern")] {
            assert_eq!(outcome(code, town), TownOutcome::Unchanged, "{code}");
        }
        assert_eq!(
            stage("8021", "zuerich"),
            ("Zürich".to_owned(), Stage::Normalised)
        );
        assert_eq!(
            stage("1211", "Geneve 11"),
            ("Genève 11".to_owned(), Stage::Normalised)
        );
        assert_eq!(stage("1211", "Genf"), ("Genève".to_owned(), Stage::Alias));
        assert!(matches!(
            outcome("8021", "Bern"),
            TownOutcome::Conflict { .. }
        ));
    }

    // rule: R-TWN-01, D-ADR-02
    #[test]
    fn each_stage_has_its_examples() {
        for (code, typed, town, expected) in [
            ("8001", "ZURICH", "Zürich", Stage::Normalised),
            ("8001", "Zürich 1", "Zürich", Stage::Normalised),
            ("5033", "Buchs", "Buchs AG", Stage::Normalised),
            (
                "3033",
                "Wohlen bei Bern",
                "Wohlen b. Bern",
                Stage::Normalised,
            ),
            ("3033", "Wohlen", "Wohlen b. Bern", Stage::Normalised),
            (
                "8910",
                "Affoltern a. A.",
                "Affoltern am Albis",
                Stage::Normalised,
            ),
            ("9012", "St.Gallen SG", "St. Gallen", Stage::Normalised),
            ("2502", "bienne", "Biel/Bienne", Stage::BilingualHalf),
            ("1201", "Geneva", "Genève", Stage::Alias),
            ("2000", "Neuenburg", "Neuchâtel", Stage::Alias),
            ("2888", "Clos du Doubs", "Seleute", Stage::Municipality),
            ("8001", "Zürch", "Zürich", Stage::EditDistance),
            ("8200", "Schaffh", "Schaffhausen", Stage::UniquePrefix),
            ("3920", "Zerrmmatttt", "Zermatt", Stage::SingleCandidate),
        ] {
            assert_eq!(
                stage(code, typed),
                (town.to_owned(), expected),
                "{code} {typed}"
            );
        }
    }

    // rule: D-ADR-02
    #[test]
    fn an_unknown_town_is_kept() {
        let TownOutcome::Ambiguous { candidates } = outcome("8001", "Irgendwo") else {
            panic!()
        };
        assert_eq!(candidates, ["Zürich"]);
        let TownOutcome::Ambiguous { candidates } = outcome("1787", "Mur") else {
            panic!()
        };
        assert_eq!(candidates, ["Mur (Vully) FR", "Mur (Vully) VD"]);
        // Orient is an old name for the same code, and one typing error away from the town.
        assert_eq!(outcome("1341", "Orient"), TownOutcome::Unchanged);
        assert!(matches!(
            outcome("1341", "'Orient"),
            TownOutcome::Ambiguous { .. }
        ));
        assert!(matches!(outcome("8001", ""), TownOutcome::Ambiguous { .. }));
        assert!(matches!(
            outcome("5033", "Buchs ZH"),
            TownOutcome::Conflict { .. }
        ));
        assert!(matches!(
            outcome("5033", "Buchs BE"),
            TownOutcome::Ambiguous { .. }
        ));
        assert_eq!(outcome("9999", "Zürich"), TownOutcome::UnknownPostalCode);
        assert_eq!(
            directory().check(Country::DE, "10115", "Berlin").outcome,
            TownOutcome::NotCovered
        );
    }

    // rule: R-TWN-05
    #[test]
    fn codes_of_liechtenstein_are_found_under_switzerland() {
        for entry in official().filter(|entry| entry.country == Country::LI) {
            for country in [Country::CH, Country::LI] {
                let check = directory().check(country, &entry.postal_code, &entry.town);
                assert_eq!(
                    (check.country, check.outcome),
                    (Country::LI, TownOutcome::Unchanged)
                );
            }
        }
        for code in ["CH-9490", "FL-9490", "LI-9490", "9490 "] {
            let check = directory().check(Country::CH, code, "vaduz");
            assert_eq!(check.postal_code, "9490");
            assert!(matches!(check.outcome, TownOutcome::Corrected { to, .. } if to == "Vaduz"));
        }
        // 9489 is in the range but not in use; Swiss codes are not valid for Liechtenstein.
        assert_eq!(outcome("9489", "Schaan"), TownOutcome::UnknownPostalCode);
        let check = directory().check(Country::LI, "8001", "Zürich");
        assert_eq!(check.outcome, TownOutcome::UnknownPostalCode);
    }

    #[test]
    fn a_custom_directory_replaces_the_built_in_one() {
        let german = "country,postal_code,town\nDE,80331,München\nDE,80333,München\n";
        let german = Directory::from_csv(german).unwrap();
        let all = directory().merged(&german);
        let check = all.check(Country::DE, "D-80331", "Munchen");
        assert!(matches!(check.outcome, TownOutcome::Corrected { to, .. } if to == "München"));
        assert_eq!(
            all.check(Country::CH, "8001", "Zürich").outcome,
            TownOutcome::Unchanged
        );
        // A town of another country is never suggested for a Swiss address.
        assert!(matches!(
            all.check(Country::CH, "8001", "München").outcome,
            TownOutcome::Ambiguous { .. }
        ));
    }
}
