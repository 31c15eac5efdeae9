//! Rows of article media within a batch.
//!
//! Every change of an article's media is guarded by the article and by its list of media keys, so that no media
//! can be added while the article is removed.

use std::collections::BTreeMap;

use super::batch::{Batch, Working, clear};
use super::row::ImportRow;
use super::write::{guard_article, is_gone, write};
use crate::domain::master::ArticleNumber;
use crate::domain::media::{Image, Media, MediaPlace};
use crate::erp::engine::numbers::short;
use crate::erp::engine::{Erp, Error, keys};
use crate::import::{BodySource, NewImage, NewMedia, Removal, Row};
use crate::storage::{ChangeSet, Sequence, Storage, StoreResult};
use crate::values::limits::MEDIA_PER_ARTICLE;
use crate::values::problem::{Code, Problem};

impl<S: Storage> Erp<S> {
    /// Loads the media that a batch may touch: those with a given key, and all media of articles whose media are
    /// addressed by position or removed with the article.
    pub(super) async fn load_media(
        &self,
        batch: &mut Batch,
        rows: &[ImportRow],
    ) -> StoreResult<()> {
        let key_of = |article: &ArticleNumber| keys::media_of_article(article);
        self.fill(&mut batch.media_of, key_of).await?;
        for article in rows.iter().filter_map(|row| article_of_unnamed(&row.row)) {
            let keys = batch.media_of.get(article);
            let keys = keys.and_then(|working| working.now.as_ref());
            for key in keys.into_iter().flat_map(|list| &list.keys) {
                batch.media.entry(*key).or_default();
            }
        }
        self.fill(&mut batch.media, |key| keys::media(*key)).await?;
        // Media with a given key may belong to another article so far.
        let mut owners: BTreeMap<ArticleNumber, Working<_>> = BTreeMap::new();
        for media in batch.media.values().filter_map(|media| media.now.as_ref()) {
            if !batch.media_of.contains_key(&media.article) {
                owners.entry(media.article.clone()).or_default();
            }
        }
        self.fill(&mut owners, key_of).await?;
        batch.media_of.append(&mut owners);
        Ok(())
    }

    /// The media key that each row refers to. A position without a record gets a new key.
    pub(super) async fn media_keys(
        &self,
        batch: &Batch,
        rows: &[ImportRow],
    ) -> Result<Vec<Option<i32>>, Error> {
        let mut places: BTreeMap<MediaPlace, i32> = BTreeMap::new();
        for media in batch.media.values().filter_map(|media| media.now.as_ref()) {
            places.entry(media.place()).or_insert(media.key);
        }
        // Numbers below 0 are placeholders, one for each new position.
        let mut last = 0_i32;
        let mut found = Vec::with_capacity(rows.len());
        for ImportRow { row, .. } in rows {
            found.push(match row {
                Row::Media(media) => {
                    let known = media.key.or_else(|| places.get(&media.place).copied());
                    let key = match known {
                        Some(key) => key,
                        None => {
                            last = last.saturating_sub(1);
                            last
                        }
                    };
                    forget_old_place(&mut places, batch, media, key);
                    places.entry(media.place.clone()).or_insert(key);
                    Some(key)
                }
                Row::Remove(Removal::Media(key)) => Some(*key),
                Row::Remove(Removal::MediaAt(place)) => places.get(place).copied(),
                _ => None,
            });
        }
        let wanted = (last..0).map(|_| Sequence::Media).collect::<Vec<_>>();
        let named = batch.media.keys().map(|key| u64::from(key.unsigned_abs()));
        let drawn = self.draw(&wanted, Some(&named.collect())).await?;
        let drawn: BTreeMap<i32, i32> = (last..0).rev().zip(drawn.into_iter().map(short)).collect();
        let key_of = |key: i32| drawn.get(&key).copied().unwrap_or(key);
        Ok(found.into_iter().map(|key| key.map(key_of)).collect())
    }
}

/// A record that moves to another position is no longer found at the old one.
fn forget_old_place(
    places: &mut BTreeMap<MediaPlace, i32>,
    batch: &Batch,
    media: &NewMedia,
    key: i32,
) {
    let before = batch.media.get(&key);
    let before = before.and_then(|working| Some(working.now.as_ref()?.place()));
    if let Some(old) = before.filter(|old| *old != media.place)
        && places.get(&old) == Some(&key)
    {
        places.remove(&old);
    }
}

/// The article whose media must all be loaded for a row, if any.
fn article_of_unnamed(row: &Row) -> Option<&ArticleNumber> {
    match row {
        Row::Media(media) => media.key.is_none().then_some(&media.place.article),
        Row::Remove(Removal::MediaAt(place)) => Some(&place.article),
        Row::Remove(Removal::Article(number)) => Some(number),
        _ => None,
    }
}

/// Requires that the article's list of media is the one that was read. A changed list is guarded already.
fn guard_list(changes: &mut ChangeSet, batch: &Batch, article: &ArticleNumber) {
    if let Some(working) = batch.media_of.get(article)
        && !working.is_changed()
    {
        let revision = working.before.as_ref().map(|before| before.revision);
        changes.guard(keys::media_of_article(article), revision);
    }
}

impl Batch {
    /// Writes the lists of keys.
    pub(super) fn index_media(&self, changes: &mut ChangeSet) -> StoreResult<()> {
        write(changes, &self.media_of, |article| {
            keys::media_of_article(article)
        })?;
        for working in self.media.values().filter(|working| working.is_changed()) {
            let before = working.before.as_ref().map(|before| &before.value);
            if let Some(media) = &working.now {
                guard_article(changes, self, &media.article);
            }
            for media in working.now.as_ref().into_iter().chain(before) {
                guard_list(changes, self, &media.article);
            }
        }
        let articles = self.articles.iter();
        for (article, _) in articles.filter(|(_, working)| is_gone(working)) {
            guard_list(changes, self, article);
        }
        Ok(())
    }

    // rule: R-RES-23
    pub(super) fn put_media(&mut self, row: &NewMedia, key: Option<i32>) -> Result<(), Problem> {
        let Some(key) = key else {
            return Ok(());
        };
        self.known_article(&row.place.article, None)?;
        let working = self.media.entry(key).or_default();
        let image = match &row.image {
            Some(new) => Some(stored_image(new, working.now.as_ref())?),
            None => None,
        };
        let known = working.before.as_ref().map(|before| &before.value);
        let mut media = Media {
            key,
            article: row.place.article.clone(),
            usage: row.place.usage.clone(),
            language: row.place.language,
            country: row.place.country,
            group: row.group.clone(),
            file_name: row.place.file_name.clone(),
            comment: row.comment.clone(),
            image,
            text: row.text.clone(),
            changed_at: known.map_or(self.now, |known| known.changed_at),
        };
        if known.is_some_and(|known| *known != media) {
            media.changed_at = self.now;
        }
        let article = media.article.clone();
        let moved_from = working.now.replace(media).map(|before| before.article);
        if let Some(before) = moved_from.filter(|before| *before != article) {
            self.unlist_media(&before, key);
        }
        self.list_media(&article, key)
    }

    pub(super) fn clear_media(&mut self, key: i32) {
        let taken = self
            .media
            .get_mut(&key)
            .and_then(|working| working.now.take());
        if let Some(media) = taken {
            self.unlist_media(&media.article, key);
        }
    }

    pub(super) fn clear_media_of(&mut self, article: &ArticleNumber) {
        let list = self.media_of.get_mut(article);
        let taken = list.and_then(|working| working.now.take());
        for key in taken.into_iter().flat_map(|list| list.keys) {
            clear(&mut self.media, &key);
        }
    }

    fn list_media(&mut self, article: &ArticleNumber, key: i32) -> Result<(), Problem> {
        let working = self.media_of.entry(article.clone()).or_default();
        let list = working.now.get_or_insert_default();
        list.keys.insert(key);
        if list.keys.len() > MEDIA_PER_ARTICLE {
            let message = sentence!("too_many.media", most = MEDIA_PER_ARTICLE);
            return Err(Problem::new("ArtNr", Code::TooMany, message));
        }
        Ok(())
    }

    fn unlist_media(&mut self, article: &ArticleNumber, key: i32) {
        if let Some(working) = self.media_of.get_mut(article)
            && let Some(list) = &mut working.now
        {
            list.keys.remove(&key);
            if list.keys.is_empty() {
                working.now = None;
            }
        }
    }
}

/// The file with its body, which must be stored, or the unchanged file of the record.
fn stored_image(new: &NewImage, known: Option<&Media>) -> Result<Image, Problem> {
    let (hash, length) = match &new.body {
        BodySource::Stored { hash, length } => (*hash, *length),
        BodySource::Kept => match known.and_then(|known| known.image.as_ref()) {
            Some(image) => (image.hash, image.length),
            None => {
                let message = sentence!("required.file");
                return Err(Problem::new("Datei", Code::Required, message));
            }
        },
        BodySource::File(path) => {
            let message = sentence!("unknown_file.path", path);
            return Err(Problem::new("Datei", Code::UnknownFile, message));
        }
        BodySource::Base64(_) => {
            let message = sentence!("unknown_file.base64");
            return Err(Problem::new("Base64", Code::UnknownFile, message));
        }
        BodySource::Hash(hash) => {
            let message = sentence!("unknown_file", hash);
            return Err(Problem::new("SHA256", Code::UnknownFile, message));
        }
    };
    Ok(Image {
        format: new.format.clone(),
        hash,
        length,
    })
}
