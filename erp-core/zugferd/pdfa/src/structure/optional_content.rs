//! Layers (6.9).

use super::spot::{Spot, mentions};
use crate::Subject;
use erp_pdf::text::decode_text;
use erp_pdf::{Dict, Object, PdfError, Result};
use std::collections::BTreeSet;

/// Configurations of one document; their names are compared.
const CONFIGS: usize = 1_000;
/// Items of all `Order` arrays together, which configurations may share.
const ITEMS: usize = 100_000;

pub(super) fn check(subject: &Subject<'_, '_>) -> Result<()> {
    let spot = Spot::of(subject.catalog_id).member(&subject.catalog, "OCProperties");
    let value = subject.member(&subject.catalog, "OCProperties")?;
    let Some(properties) = value.as_dict() else {
        return Ok(());
    };
    let groups = group_names(subject, properties)?;
    let mut layers = Layers {
        subject,
        groups,
        names: BTreeSet::new(),
        items: 0,
    };
    let default = subject.member(properties, "D")?;
    layers.check_config(default.as_dict(), &spot.member(properties, "D"))?;
    let configs_spot = spot.member(properties, "Configs");
    let configs = subject.member(properties, "Configs")?;
    let items = configs.as_array().unwrap_or_default();
    PdfError::within("configurations of layers", items.len(), CONFIGS)?;
    for (place, item) in items.iter().enumerate() {
        let config = subject.follow(item)?;
        layers.check_config(config.as_dict(), &configs_spot.item(items, place))?;
    }
    Ok(())
}

fn group_names(subject: &Subject<'_, '_>, properties: &Dict) -> Result<BTreeSet<String>> {
    let groups = subject.member(properties, "OCGs")?;
    let mut names = BTreeSet::new();
    for group in groups.as_array().unwrap_or_default().iter().take(ITEMS) {
        let group = subject.follow(group)?;
        if let Some(group) = group.as_dict() {
            names.extend(name_of(subject, group)?);
        }
    }
    Ok(names)
}

fn name_of(subject: &Subject<'_, '_>, dict: &Dict) -> Result<Option<String>> {
    Ok(subject.member(dict, "Name")?.as_string().map(decode_text))
}

struct Layers<'f, 'a> {
    subject: &'f Subject<'f, 'a>,
    groups: BTreeSet<String>,
    names: BTreeSet<String>,
    items: usize,
}

impl Layers<'_, '_> {
    fn check_config(&mut self, config: Option<&Dict>, spot: &Spot) -> Result<()> {
        let Some(config) = config else { return Ok(()) };
        let (faults, place) = (&self.subject.faults, spot.place());
        match name_of(self.subject, config)?.filter(|name| !name.is_empty()) {
            None => {
                let name = self.free_name();
                let repair = spot.edit(vec![("Name", Object::string(name.clone()))]);
                let text = "a configuration of the layers has no name";
                faults.add_repairable("6.9", place, text, repair);
                self.names.insert(name);
            }
            Some(name) if self.names.contains(&name) => {
                let text = format!("two configurations of the layers are named `{name}`");
                faults.add("6.9", place, text);
            }
            Some(name) => {
                self.names.insert(name);
            }
        }
        let text = "a configuration of the layers changes them by itself (`AS`)";
        faults.add_if(mentions(config, "AS"), "6.9", place, text);
        self.check_order(config, spot)
    }

    fn free_name(&self) -> String {
        let numbered = (1..).map(|number| format!("Configuration {number}"));
        let mut names = std::iter::once("Default".to_owned()).chain(numbered);
        let free = names.find(|name| !self.names.contains(name));
        free.unwrap_or_default()
    }

    fn check_order(&mut self, config: &Dict, spot: &Spot) -> Result<()> {
        let order = self.subject.member(config, "Order")?;
        let Some(order) = order.as_array() else {
            return Ok(());
        };
        let mut missing = self.groups.clone();
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<Object> = order.to_vec();
        while let Some(item) = waiting.pop() {
            self.items += 1;
            PdfError::within("items in the order of layers", self.items, ITEMS)?;
            let number = item.as_reference().map(|id| id.number);
            if number.is_some_and(|number| !seen.insert(number)) {
                continue;
            }
            match &*self.subject.follow(&item)? {
                Object::Array(items) => waiting.extend(items.iter().take(ITEMS).cloned()),
                Object::Dict(group) => {
                    if let Some(name) = name_of(self.subject, group)? {
                        missing.remove(&name);
                    }
                }
                _ => {}
            }
        }
        if let Some(name) = missing.first() {
            let text = format!("layer `{name}` is not in the order of layers");
            self.subject.faults.add("6.9", spot.place(), text);
        }
        Ok(())
    }
}
