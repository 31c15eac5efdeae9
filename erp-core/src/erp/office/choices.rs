//! What records say in members that have few values, so that forms can offer it.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::master::{Article, ArticleStock, Customer, TaxCode};
use crate::domain::media::Media;
use crate::erp::catalogue::slices::SLICE;
use crate::erp::engine::{Error, Office};
use crate::storage::record::{Stored, decode};
use crate::storage::{Scan, Storage};

/// Values of a member that are listed.
const VALUES_LISTED: usize = 200;

/// How many spaces share what one request may read.
const SPACES: usize = 5;

/// The distinct values of each member, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices(pub BTreeMap<&'static str, BTreeSet<String>>);

impl Choices {
    const MEMBERS: &str = "PreisListe WUSTCode ArtGruppe ArtKlasse Einheit VPEinheit LagerOrt AMDVerwendung VBTyp BrancheID";

    fn note<'a>(&mut self, member: &'static str, values: impl IntoIterator<Item = &'a str>) {
        let known = self.0.entry(member).or_default();
        for value in values {
            if !known.contains(value) {
                known.insert(value.to_owned());
            }
            if known.len() > VALUES_LISTED {
                known.pop_last();
            }
        }
    }
}

impl<S: Storage> Office<'_, S> {
    /// What is stored in members that have few values, each at most 200 times. All price lists are found; the others in
    /// as many records as a request may read.
    pub async fn choices(self) -> Result<Choices, Error> {
        let members = Choices::MEMBERS.split(' ');
        let mut found = Choices(members.map(|member| (member, BTreeSet::new())).collect());
        let company = self.erp.company().await?;
        found.note("PreisListe", company.price_list.as_deref());
        let lists = self.erp.price_lists(VALUES_LISTED).await?;
        found.note("PreisListe", lists.iter().map(|list| list.as_str()));
        self.each(|code: TaxCode| found.note("WUSTCode", [code.id.as_str()]))
            .await?;
        self.each(|article: Article| {
            found.note("ArtGruppe", article.group.as_deref());
            found.note("ArtKlasse", article.class.as_deref());
            found.note("Einheit", article.unit.as_deref());
            let units = article.units.iter();
            found.note("VPEinheit", units.map(|unit| unit.code.as_str()));
        })
        .await?;
        self.each(|stock: ArticleStock| {
            let entries = stock.entries.iter();
            found.note("LagerOrt", entries.map(|entry| entry.place.as_str()));
        })
        .await?;
        self.each(|media: Media| found.note("AMDVerwendung", media.usage.as_deref()))
            .await?;
        self.each(|customer: Customer| {
            let details = &customer.details;
            found.note("VBTyp", details.shipping_condition.as_deref());
            found.note("BrancheID", details.industry.as_deref());
        })
        .await?;
        Ok(found)
    }

    /// Reads the first records of a type.
    async fn each<T: Stored>(self, mut note: impl FnMut(T)) -> Result<(), Error> {
        let mut pages = self.erp.pages(Scan::of(T::SPACE).limit(SLICE));
        let mut rest = self.erp.settings.scan_entries / SPACES;
        while rest > 0
            && let Some(entries) = pages.next().await?
        {
            rest = rest.saturating_sub(entries.len());
            for (key, entry) in &entries {
                note(decode(key, entry)?);
            }
        }
        Ok(())
    }
}
