//! The company and its single attributes.

use std::sync::Arc;

use super::import::whole;
use crate::domain::master::{Attribute, Attributes, Company};
use crate::erp::catalogue::MasterKind;
use crate::erp::engine::{Differences, Error, Office, keys, retry_on_conflict};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Storage};

impl<S: Storage> Office<'_, S> {
    /// The company's settings and attributes; defaults before the first import.
    pub async fn company(self) -> Result<Company, Error> {
        Ok(Arc::unwrap_or_clone(self.erp.company().await?))
    }

    /// Stores one attribute of the company and replaces one with the same name; other attributes are unchanged.
    pub async fn set_company_attribute(self, attribute: &Attribute) -> Result<(), Error> {
        let set = |attributes: &mut Attributes| {
            attributes.set(attribute.clone());
            Ok(())
        };
        self.change_company_attributes(set).await
    }

    /// Removes one attribute of the company.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no attribute of this name.
    pub async fn remove_company_attribute(self, key: &str) -> Result<(), Error> {
        let remove = |attributes: &mut Attributes| {
            let removed = attributes.remove(key).then_some(());
            removed.ok_or_else(|| Error::not_found("attribute", key))
        };
        self.change_company_attributes(remove).await
    }

    async fn change_company_attributes(
        self,
        change: impl Fn(&mut Attributes) -> Result<(), Error>,
    ) -> Result<(), Error> {
        retry_on_conflict!(self.erp, None, {
            let found: Option<Versioned<Company>> = self.erp.load(&keys::company()).await?;
            let revision = found.as_ref().map(|found| found.revision);
            let before = found.as_ref().map(|found| whole(&found.value));
            let mut company = found.map(|found| found.value).unwrap_or_default();
            let known = company.attributes.clone();
            change(&mut company.attributes)?;
            let mut changes = ChangeSet::new();
            if company.attributes != known {
                let mut differences = Differences::default();
                differences.add(&keys::company(), before, Some(whole(&company)));
                changes.guard(keys::company(), revision);
                changes.put(keys::company(), encode(&company)?);
                MasterKind::Settings.touch(&mut changes);
                let differences = Some(differences);
                self.erp
                    .audit_changes(self.actor, &mut changes, differences)?;
            }
            (changes, ())
        });
        Ok(())
    }
}
