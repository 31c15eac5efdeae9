//! Reading articles: `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::domain::article::{Form, Shown, Sort, View, tax_rate};
use crate::domain::master::{
    Article, ArticleNumber, ArticleStock, Customer, PriceListType, PriceSet, StockEntry, available,
    first_hit,
};
use crate::domain::response;
use crate::domain::response::rendered::{LinkTexts, Look, RenderedArticle};
use crate::erp::catalogue::slices::{SLICE, yield_now};
use crate::erp::catalogue::{ArticleFilter, Kept, MasterData, Moment};
use crate::erp::engine::operation::Loaded;
use crate::erp::engine::{Error, Shop};
use crate::storage::{Entry, Key, Storage, StorageError, StoreResult};
use crate::values::codes::{Currency, Language};
use crate::values::text::Text;
use crate::wire::Links;
use rust_decimal::Decimal;

/// Query parameters shared by the article endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleQuery {
    /// Currency of the prices (`waehrabk`). When absent, that of the customer whom the caller acts for, else the leading one.
    pub currency: Option<Currency>,
    /// The customer whose prices and language apply (`debinr`).
    pub customer: Option<String>,
    /// Language of the texts (`adrsprache`); the company's when absent. That of `customer` has priority.
    pub language: Option<Language>,
}

/// A list whose articles and order are fixed, for one caller; the articles themselves are not read yet.
#[derive(Clone, Debug)]
pub struct ArticleList {
    numbers: Arc<[ArticleNumber]>,
    groups: BTreeMap<Text<12>, usize>,
    pub(super) look: Arc<Look>,
    /// The master data that decided it: what is read of its articles is at least as new.
    moment: Moment,
    /// Counters that were read with it.
    counters: BTreeMap<Key, i64>,
}

impl ArticleList {
    pub(super) fn empty<S>(
        master: &MasterData<'_, S>,
        view: &View<'_>,
        customer: Option<&Customer>,
    ) -> Self {
        let look = Look {
            form: Form::List,
            currency: view.currency,
            language: view.language,
            day: view.day,
            chain: price_chain(master, customer),
        };
        Self {
            numbers: Arc::new([]),
            groups: BTreeMap::new(),
            look: Arc::new(look),
            moment: master.moment.clone(),
            counters: BTreeMap::new(),
        }
    }

    pub(super) fn of(self, numbers: Vec<ArticleNumber>) -> Self {
        Self {
            numbers: numbers.into(),
            ..self
        }
    }

    /// Number of articles in the list before `limit` and `offset` apply.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The groups (`ArtGruppe`) of a searched list and how many of its articles each has, whatever group was asked
    /// for. Empty for a list that was not searched.
    pub fn groups(&self) -> &BTreeMap<Text<12>, usize> {
        &self.groups
    }

    fn part(&self, part: Range<usize>) -> &[ArticleNumber] {
        let end = part.end.min(self.numbers.len());
        let part = self.numbers.get(part.start.min(end)..end);
        part.unwrap_or_default()
    }

    fn view(&self) -> View<'_> {
        view(&self.moment, &self.look)
    }
}

fn view<'a>(moment: &'a Moment, look: &Look) -> View<'a> {
    View {
        company: &moment.company,
        taxes: &moment.taxes,
        day: look.day,
        currency: look.currency,
        language: look.language,
    }
}

/// An article as its caller sees it: in a language, with prices in a currency, and with what is left of its stock.
#[derive(Clone, Debug)]
pub struct ShownArticle {
    shown: Shown,
    look: Arc<Look>,
    moment: Moment,
}

impl Deref for ShownArticle {
    type Target = Article;

    fn deref(&self) -> &Article {
        &self.shown.article
    }
}

impl ShownArticle {
    /// The description in the language of the caller.
    pub fn description(&self) -> Option<&str> {
        let company = &self.moment.company;
        let text = company.translation(&self.shown.article.texts, self.look.language);
        text.map(Text::as_str)
    }

    /// The prices of a packaging unit, or without one of the base unit: those of the first price list that has some.
    #[must_use]
    pub fn prices(&self, unit: Option<&str>) -> Option<&PriceSet> {
        let chain = self.shown.prices.iter().map(Option::as_deref);
        first_hit(chain, unit, self.look.currency).map(|hit| hit.set)
    }

    /// The currency of the prices.
    pub fn currency(&self) -> Currency {
        self.look.currency
    }

    /// The tax rate of the day, in percent.
    pub fn tax_rate(&self) -> Option<Decimal> {
        tax_rate(&view(&self.moment, &self.look), &self.shown.article)
    }

    /// Each released stock, and how much of it is left after reservations.
    pub fn stock(&self) -> impl Iterator<Item = (&StockEntry, i32)> {
        let stock = self.shown.stock.iter();
        let released = stock.flat_map(|stock| stock.released());
        let reserved = released.zip(&self.shown.reserved);
        reserved.map(|((entry, _), reserved)| (entry, available(entry, *reserved)))
    }

    /// The article as the interface shows it.
    pub fn to_wire(&self, links: &Links<'_>) -> response::Article {
        let view = view(&self.moment, &self.look);
        self.shown.to_wire(&view, self.look.form, links)
    }
}

impl<'a, S: Storage> Shop<'a, S> {
    /// Decides which articles a list contains, and in which order: by name without `sorts`.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such customer.
    pub async fn article_list(
        self,
        query: &ArticleQuery,
        sorts: &[Sort],
    ) -> Result<ArticleList, Error> {
        self.listed(query, sorts, None).await
    }

    /// The same, of the articles that a filter leaves, with their groups. Without `sorts` those that fit the words best
    /// are first: the number, then whole words, beginnings of words, parts of words, words with typing errors.
    pub async fn article_search(
        self,
        query: &ArticleQuery,
        sorts: &[Sort],
        filter: &ArticleFilter,
    ) -> Result<ArticleList, Error> {
        self.listed(query, sorts, Some(filter)).await
    }

    // rule: R-END-21
    /// How the caller sees articles: for a customer of its own in that customer's currency.
    pub(super) fn view<'m>(
        self,
        master: &'m MasterData<'_, S>,
        query: &ArticleQuery,
        customer: Option<&Customer>,
    ) -> View<'m> {
        let company = &master.company;
        let language = customer.map(|customer| customer.details.language);
        let currency = query.currency.or(self.own_currency(customer));
        View {
            company,
            taxes: &master.taxes,
            day: master.time_zone().to_datetime(self.now).date(),
            currency: currency.unwrap_or(company.currency),
            language: language.or(query.language).unwrap_or(company.language),
        }
    }

    async fn listed(
        self,
        query: &ArticleQuery,
        sorts: &[Sort],
        filter: Option<&ArticleFilter>,
    ) -> Result<ArticleList, Error> {
        let (loaded, customer) = self.begin_for(query, &[]).await?;
        let master = loaded.master;
        let view = self.view(&master, query, customer.as_ref());
        let caller = self.caller;
        let (numbers, groups) = match filter {
            None => {
                let numbers = master.ordering(caller, &view, sorts).await?;
                (numbers, BTreeMap::new())
            }
            Some(filter) => {
                let found = master.found(caller, &view, sorts, filter).await?;
                (found.numbers, found.groups)
            }
        };
        Ok(ArticleList {
            numbers,
            groups,
            ..ArticleList::empty(&master, &view, customer.as_ref())
        })
    }

    /// Reads a part of a decided list, as new as the list or newer. An article that was removed in the meantime may be left
    /// out.
    pub async fn article_page(
        self,
        list: &ArticleList,
        part: Range<usize>,
    ) -> Result<Vec<ShownArticle>, Error> {
        let master = self.erp.catalogue.at(&self.erp.store, list.moment.clone());
        let mut articles = Vec::new();
        for numbers in list.part(part).chunks(SLICE) {
            let shown = master.shown(numbers, list).await?;
            let visible = shown.into_iter().flatten();
            let visible = visible.filter(|shown| self.caller.sees(&shown.article.attributes));
            articles.extend(visible.map(|shown| ShownArticle {
                shown,
                look: Arc::clone(&list.look),
                moment: list.moment.clone(),
            }));
            yield_now().await;
        }
        Ok(articles)
    }

    /// The same as JSON from memory, for the server: appends the articles, separated by commas.
    #[cfg(feature = "internal")]
    pub async fn article_texts(
        self,
        list: &ArticleList,
        part: Range<usize>,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let master = self.erp.catalogue.at(&self.erp.store, list.moment.clone());
        let links = LinkTexts::new(links).map_err(not_rendered)?;
        let mut comma: &[u8] = b"";
        for numbers in list.part(part).chunks(SLICE) {
            let texts = master.rendered(numbers, list).await?;
            let visible = texts.iter().flatten();
            for text in visible.filter(|text| text.is_seen_by(self.caller)) {
                out.extend_from_slice(std::mem::replace(&mut comma, b","));
                text.write(&links, out);
            }
            yield_now().await;
        }
        Ok(())
    }

    // rule: R-END-23
    /// One article.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such article or customer, or the caller may not see it.
    pub async fn article(self, number: &str, query: &ArticleQuery) -> Result<ShownArticle, Error> {
        let list = self.article_alone(number, query).await?;
        let mut found = self.article_page(&list, 0..1).await?;
        found
            .pop()
            .ok_or_else(|| Error::not_found("article", number))
    }

    /// The same as JSON from memory, for the server: appends the article.
    #[cfg(feature = "internal")]
    pub async fn article_text(
        self,
        number: &str,
        query: &ArticleQuery,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let list = self.article_alone(number, query).await?;
        let before = out.len();
        self.article_texts(&list, 0..1, links, out).await?;
        if out.len() == before {
            return Err(Error::not_found("article", number));
        }
        Ok(())
    }

    /// A list of one article with all that is shown of it. Its counters of last time are read together with the master data.
    async fn article_alone(self, number: &str, query: &ArticleQuery) -> Result<ArticleList, Error> {
        let known = ArticleNumber::new(number);
        let known = known.map_err(|_| Error::not_found("article", number))?;
        let stock = self.erp.catalogue.last_stock(&known);
        let counters = stock.iter().flat_map(|stock| stock.counters(&known));
        let counters: Vec<Key> = counters.flatten().collect();
        let (loaded, customer) = self.begin_for(query, &counters).await?;
        let view = self.view(&loaded.master, query, customer.as_ref());
        let list = ArticleList::empty(&loaded.master, &view, customer.as_ref());
        let look = Look {
            form: Form::Single,
            ..Look::clone(&list.look)
        };
        Ok(ArticleList {
            look: Arc::new(look),
            counters: loaded.counters(),
            ..list.of(vec![known])
        })
    }

    // rule: R-END-17
    /// Loads master data together with the customer that the query names, and with other keys.
    pub(super) async fn begin_for(
        self,
        query: &ArticleQuery,
        also: &[Key],
    ) -> Result<(Loaded<'a, S>, Option<Customer>), Error> {
        let Some(number) = self.named_or_own(query.customer.as_deref()) else {
            return Ok((self.erp.loaded(also).await?, None));
        };
        let (loaded, found) = self.load_customer_and(number, also).await?;
        let found = found.ok_or_else(|| Error::not_found("customer", number))?;
        Ok((loaded, Some(found.value)))
    }
}

/// The price list types in the order they are searched: the customer's, then the company's.
pub(super) fn price_chain<S>(
    master: &MasterData<'_, S>,
    customer: Option<&Customer>,
) -> Vec<PriceListType> {
    let own = customer.and_then(|customer| customer.price_list.as_ref());
    let usual = master.company.price_list.as_ref();
    let usual = usual.filter(|list| own != Some(*list));
    own.into_iter().chain(usual).cloned().collect()
}

fn not_rendered(error: serde_json::Error) -> StorageError {
    StorageError::Damaged(error.to_string())
}

impl<S: Storage> MasterData<'_, S> {
    /// Articles as JSON; `None` for unknown ones.
    async fn rendered(
        &self,
        numbers: &[ArticleNumber],
        list: &ArticleList,
    ) -> StoreResult<Vec<Option<Arc<RenderedArticle>>>> {
        let (cache, versions) = (&self.catalogue.rendered, self.versions);
        let kept = numbers.iter().map(|number| {
            let (of, text) = cache.get(&(Arc::clone(&list.look), number.clone()))?.value;
            of.is_as_new_as(&versions).then_some(text)
        });
        let mut texts: Vec<_> = kept.collect();
        let reserved = texts.iter().flatten().flat_map(|text| &text.reserved);
        let kept: Vec<&Key> = reserved.map(|(key, _)| key).collect();
        let mut values = self.counted(&kept, list).await?.into_iter();
        for text in &mut texts {
            let kept = text.iter().flat_map(|text| &text.reserved);
            // Every value is taken, so that the next text gets its own.
            let changed = kept
                .zip(values.by_ref())
                .filter(|((_, kept), now)| kept != now);
            if changed.count() > 0 {
                *text = None;
            }
        }
        let missing = numbers
            .iter()
            .zip(&texts)
            .filter(|(_, text)| text.is_none());
        let missing: Vec<ArticleNumber> = missing.map(|(number, _)| number.clone()).collect();
        if missing.is_empty() {
            return Ok(texts);
        }
        let places = texts.iter_mut().filter(|text| text.is_none());
        let shown = self.shown(&missing, list).await?;
        for ((place, number), shown) in places.zip(missing).zip(shown) {
            let Some(shown) = shown else { continue };
            let counters = shown.stock.iter();
            let counters = counters.flat_map(|stock| stock.counters(&number));
            let reserved = counters.zip(&shown.reserved);
            let reserved = reserved.filter_map(|(key, value)| Some((key?, *value)));
            let text =
                RenderedArticle::new(&shown, reserved.collect(), &list.view(), list.look.form);
            let text = Arc::new(text.map_err(not_rendered)?);
            let kept = Kept::new(text.bytes(), (versions, Arc::clone(&text)));
            cache.insert((Arc::clone(&list.look), number), kept);
            *place = Some(text);
        }
        Ok(texts)
    }

    /// Articles with everything that is shown of them; `None` for unknown articles.
    async fn shown(
        &self,
        numbers: &[ArticleNumber],
        list: &ArticleList,
    ) -> StoreResult<Vec<Option<Shown>>> {
        let states = self.priced_articles(&list.look.chain, numbers).await?;
        let keys = states.iter().flatten().map(|state| {
            let counters = |stock: &Arc<ArticleStock>| stock.counters(&state.article.number);
            state.stock.iter().flat_map(counters).collect()
        });
        let keys: Vec<Vec<Option<Key>>> = keys.collect();
        let wanted: Vec<&Key> = keys.iter().flatten().flatten().collect();
        let mut values = self.counted(&wanted, list).await?.into_iter();
        let mut reserved = keys.iter().map(|of_article| {
            let value = |key: &Option<Key>| key.as_ref().and_then(|_| values.next());
            let of_article = of_article.iter().map(value);
            of_article.map(Option::unwrap_or_default).collect()
        });
        let shown = states.into_iter().map(|state| {
            let state = state?;
            Some(Shown {
                article: state.article,
                prices: state.prices,
                stock: state.stock,
                reserved: reserved.next().unwrap_or_default(),
            })
        });
        Ok(shown.collect())
    }

    /// The values of counters; those that were not read with the list are read with one call.
    async fn counted(&self, counters: &[&Key], list: &ArticleList) -> StoreResult<Vec<i64>> {
        let known = &list.counters;
        let unknown = counters.iter().filter(|key| !known.contains_key(*key));
        let unknown: Vec<Key> = unknown.map(|key| Key::clone(key)).collect();
        let found = if unknown.is_empty() {
            Vec::new()
        } else {
            self.store.get(&unknown).await?
        };
        let mut found = found.iter();
        let mut read = || found.next()?.as_ref().and_then(Entry::counter);
        let values = counters.iter().map(|key| match known.get(*key) {
            Some(value) => *value,
            None => read().unwrap_or_default(),
        });
        Ok(values.collect())
    }
}
