//! The properties and structures that XMP itself defines: the tables of `predefined.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Types by the names of properties or fields.
type Types = BTreeMap<&'static str, &'static str>;

#[derive(Default)]
struct Tables {
    /// By namespace.
    schemas: BTreeMap<&'static str, Types>,
    /// Namespace and fields, by name in lower case.
    structures: BTreeMap<&'static str, (&'static str, Types)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables::default();
    let mut open: Option<&mut Types> = None;
    let lines = include_str!("predefined.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        if let Some((name, kind)) = line.strip_prefix(' ').and_then(|line| line.split_once(' ')) {
            open.as_mut().map(|types| types.insert(name, kind));
        } else if let Some((name, namespace)) = line.split_once(" = ") {
            let structure = tables.structures.entry(name);
            open = Some(&mut structure.or_insert((namespace, Types::new())).1);
        } else {
            open = Some(tables.schemas.entry(line).or_default());
        }
    }
    tables
});

pub(super) fn property_type(namespace: &str, local: &str) -> Option<&'static str> {
    TABLES.schemas.get(namespace)?.get(local).copied()
}

/// The namespace and the fields of a predefined structure, by its name in lower case.
pub(super) fn structure(name: &str) -> Option<&'static (&'static str, Types)> {
    TABLES.structures.get(name)
}

#[cfg(test)]
mod tests {
    use super::{TABLES, property_type};
    use crate::xmp::namespaces as ns;
    use crate::xmp::types::Types;

    #[test]
    fn every_type_of_the_tables_is_known() {
        let types = Types::default();
        let structures = TABLES.structures.values().map(|(_, fields)| fields);
        let tables: Vec<_> = TABLES.schemas.values().chain(structures).collect();
        assert_eq!(
            (tables.len(), tables.iter().map(|table| table.len()).sum()),
            (34, 366)
        );
        for (name, kind) in tables.into_iter().flatten() {
            assert!(types.is_known(kind), "{name}: {kind}");
        }
    }

    #[test]
    fn properties_are_found_by_namespace_and_name() {
        assert_eq!(property_type(ns::DC, "title"), Some("lang alt"));
        assert_eq!(property_type(ns::PDF, "Producer"), Some("agentname"));
        // Only later versions of XMP have these.
        assert_eq!(property_type(ns::PDF, "Trapped"), None);
        assert_eq!(
            property_type("http://ns.adobe.com/xap/1.0/mm/", "OriginalDocumentID"),
            None
        );
        assert_eq!(property_type("urn:other", "title"), None);
    }
}
