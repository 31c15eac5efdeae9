//! Article media: `GET /www/artikelmedia/{ArtNr}`, `GET /www/artikelmediadaten/{IDKey}?type={type}`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use smol_str::SmolStr;

use crate::domain::master::{Article, ArticleNumber};
use crate::domain::media::{
    ArticleMedia, BodyHash, FileType, Media, Part, Usages, file_type, part_of,
};
use crate::erp::catalogue::MasterData;
use crate::erp::engine::{Error, Shop, Upkeep, keys};
use crate::storage::record::decode;
use crate::storage::{Scan, Space, Storage, StoreResult};
use crate::values::limits::MEDIA_TEXT_CHARACTERS;
use crate::values::text::Text;

/// One deliverable part of a media record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPart {
    /// `IDKey`.
    pub key: i32,
    /// Suggested file name for saving.
    pub file_name: SmolStr,
    /// Time of the record's last change.
    pub changed_at: Timestamp,
    /// What is delivered.
    pub content: MediaContent,
}

/// Content of a media part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaContent {
    /// A file; the embedding program stores its bytes.
    Body {
        /// The SHA-256 of the bytes.
        hash: BodyHash,
        /// Size in bytes.
        length: u64,
        /// Media type and disposition of the format.
        file_type: FileType,
    },
    /// A text.
    Text(Text<MEDIA_TEXT_CHARACTERS>),
}

impl<S: Storage> Shop<'_, S> {
    // rule: R-END-77
    /// The media of an article in key order, restricted to the usages that the attribute `VERWENDUNG` allows. A record without a
    /// group has that of the article.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the article does not exist or the caller may not see it.
    pub async fn media(self, number: &str) -> Result<Vec<Media>, Error> {
        let unknown = || Error::not_found("article", number);
        let number = ArticleNumber::new(number).map_err(|_| unknown())?;
        let list_key = keys::media_of_article(&number);
        let loaded = self.erp.loaded(std::slice::from_ref(&list_key)).await?;
        let master = &loaded.master;
        let article = self.visible_article(master, &number).await?;
        let article = article.ok_or_else(unknown)?;
        let Some(list) = loaded.record::<ArticleMedia>(&list_key)? else {
            return Ok(Vec::new());
        };
        let keys = list.value.keys.iter().map(|key| keys::media(*key));
        let found = self.erp.load_each::<Media>(keys.collect()).await?;
        let usages = Usages::of(&master.company.attributes, &article.attributes);
        let mut records = Vec::with_capacity(found.len());
        // Another writer may have removed a record or assigned it to another article.
        for mut media in found.into_iter().flatten().map(|found| found.value) {
            if media.article == number && usages.show(&media) {
                media.group = media.group.or_else(|| article.group.clone());
                records.push(media);
            }
        }
        Ok(records)
    }

    /// The part of a media record that `kind` selects: `Bild`, `Text`, or the exact format of a part.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the record or part does not exist or the caller may not see its article.
    #[cfg(feature = "internal")]
    pub async fn media_part(self, key: i32, kind: &str) -> Result<MediaPart, Error> {
        let unknown = || Error::not_found("media record", key.to_string());
        let record_key = keys::media(key);
        let loaded = self.erp.loaded(std::slice::from_ref(&record_key)).await?;
        let (master, media) = (&loaded.master, loaded.record::<Media>(&record_key)?);
        let media = media.ok_or_else(unknown)?.value;
        let article = self.visible_article(master, &media.article).await?;
        let article = article.ok_or_else(unknown)?;
        if !Usages::of(&master.company.attributes, &article.attributes).show(&media) {
            return Err(unknown());
        }
        let part = part_of(&media, kind);
        let content = part.and_then(|part| content(&media, part));
        let (part, content) = part.zip(content).ok_or_else(|| Error::NotFound {
            what: "part of the media record",
            number: format!("{key}?type={kind}"),
        })?;
        Ok(MediaPart {
            key,
            file_name: media.name_of(part),
            changed_at: media.changed_at,
            content,
        })
    }

    // rule: D-MED-07, D-SEL-01
    /// The article, if it exists and the caller may see it.
    async fn visible_article(
        self,
        master: &MasterData<'_, S>,
        number: &ArticleNumber,
    ) -> StoreResult<Option<Arc<Article>>> {
        let found = master.articles(std::slice::from_ref(number)).await?;
        let article = found.into_iter().flatten().next();
        Ok(article.filter(|article| self.caller.sees(&article.attributes)))
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Every body that a media record refers to, with its size in bytes. Stored bodies that are not in this map may be
    /// removed.
    ///
    /// # Errors
    /// When the store fails, or a record cannot be decoded: then the references are unknown and nothing may be
    /// removed.
    pub async fn named_bodies(self) -> Result<BTreeMap<BodyHash, u64>, Error> {
        let mut named = BTreeMap::new();
        let mut pages = self.erp.pages(Scan::of(Space::Media));
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                let media: Media = decode(key, entry)?;
                named.extend(media.image.map(|image| (image.hash, image.length)));
            }
        }
        Ok(named)
    }
}

fn content(media: &Media, part: Part) -> Option<MediaContent> {
    match part {
        Part::Image => media.image.as_ref().map(|image| MediaContent::Body {
            hash: image.hash,
            length: image.length,
            file_type: file_type(&image.format),
        }),
        Part::Text => {
            let text = media.text.as_ref();
            text.map(|text| MediaContent::Text(text.text.clone()))
        }
    }
}
