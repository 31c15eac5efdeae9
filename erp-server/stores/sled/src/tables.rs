//! What readers see: acknowledged changes in memory on top of sled.
//!
//! There are three layers; an upper one overrides the lower ones. The *active* table takes every acknowledged
//! group, the *frozen* one is being written to sled, and sled contains the rest. A reader holds the lock over all of
//! them, so no commit is ever seen partially.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use erp_core::limits::ENTRIES_PER_PAGE;
use erp_core::storage::{Entry, Key, Page, Scan};

use super::error::Fault;
use super::quiet::guarded;
use super::records::{self, INTERNAL, Slot};
use super::tree::Tree;
use super::warm::Warm;

/// Byte limit of values per page; a page ends after the value that exceeds it.
const PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Approximate memory overhead per change.
const SLOT_BYTES: usize = 96;

pub(crate) type Layer = BTreeMap<Key, Slot>;

pub(crate) struct Tables {
    active: Layer,
    active_bytes: usize,
    frozen: Option<Arc<Layer>>,
    tree: Option<Arc<Tree>>,
    warm: Warm,
    last: u64,
}

impl Tables {
    /// Tables on top of sled that keep at most so many bytes of what they read there.
    pub(crate) fn new(tree: Arc<Tree>, tail: Layer, last: u64, warm_bytes: u64) -> Self {
        let mut tables = Self {
            active: Layer::new(),
            active_bytes: 0,
            frozen: None,
            tree: Some(tree),
            warm: Warm::new(warm_bytes),
            last: 0,
        };
        tables.publish(tail, last);
        tables
    }

    /// Makes a synced group visible to readers.
    pub(crate) fn publish(&mut self, layer: Layer, last: u64) {
        for (key, slot) in layer {
            let value = slot.value.as_ref().map_or(0, Vec::len);
            self.active_bytes += SLOT_BYTES + key.as_bytes().len() + value;
            self.warm.remove(&key);
            self.active.insert(key, slot);
        }
        self.last = last;
    }

    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    /// Upper estimate of the active table's size: overwritten values count until it is frozen.
    pub(crate) const fn active_bytes(&self) -> usize {
        self.active_bytes
    }

    pub(crate) fn freeze(&mut self) -> Result<(Arc<Layer>, Arc<Tree>), Fault> {
        let tree = self.tree()?.clone();
        let layer = Arc::new(std::mem::take(&mut self.active));
        self.active_bytes = 0;
        self.frozen = Some(Arc::clone(&layer));
        Ok((layer, tree))
    }

    /// Drops the frozen table after its changes were written to sled.
    pub(crate) fn thaw(&mut self) {
        self.frozen = None;
    }

    /// Releases everything; later reads return that the store is closed.
    pub(crate) fn close(&mut self) -> Option<Arc<Tree>> {
        self.active.clear();
        self.frozen = None;
        self.tree.take()
    }

    pub(crate) fn tree(&self) -> Result<&Arc<Tree>, Fault> {
        self.tree.as_ref().ok_or(Fault::Closed)
    }

    /// What memory knows of a key; `None` when only sled can tell.
    pub(crate) fn known(&self, key: &Key) -> Result<Option<Option<Entry>>, Fault> {
        let frozen = || self.frozen.as_ref()?.get(key);
        if let Some(slot) = self.active.get(key).or_else(frozen) {
            return Ok(Some(slot.entry()));
        }
        self.tree()?;
        Ok(self.warm.get(key))
    }

    pub(crate) fn look(&self, key: &Key) -> Result<Option<Entry>, Fault> {
        if let Some(known) = self.known(key)? {
            return Ok(known);
        }
        let tree = self.tree()?;
        let found = records::entry(tree, key.as_bytes())?;
        self.warm.keep(key, found.as_ref());
        Ok(found)
    }

    pub(crate) fn page(&self, scan: &Scan) -> Result<Page, Fault> {
        let tree = self.tree()?;
        // The store's own records come before all others and are hidden from readers.
        let from = scan.from.clone().max(Key::from_bytes(vec![INTERNAL + 1]));
        if from >= scan.until {
            return Ok(Page::default());
        }
        let limit = scan.limit.clamp(1, ENTRIES_PER_PAGE);
        guarded(|| {
            let disk = tree.range(from.as_bytes(), Some(scan.until.as_bytes()));
            let disk = disk.map(|pair| pair.map(|(key, value)| Item::Disk(key, value)));
            let mut items = directed(disk, scan.backwards);
            for layer in self.frozen.as_deref().into_iter().chain([&self.active]) {
                items = Box::new(Overlay {
                    upper: slots(layer, &from, scan).peekable(),
                    lower: items.peekable(),
                    backwards: scan.backwards,
                });
            }
            collect(tree, items, scan, limit)
        })
    }
}

enum Item<'a> {
    Memory(&'a Key, &'a Slot),
    Disk(sled::IVec, sled::IVec),
}

impl Item<'_> {
    fn key(&self) -> &[u8] {
        match self {
            Self::Memory(key, _) => key.as_bytes(),
            Self::Disk(key, _) => key,
        }
    }

    fn entry(self, tree: &Tree) -> Result<Option<(Key, Entry)>, Fault> {
        match self {
            Self::Memory(key, slot) => Ok(slot.entry().map(|entry| (key.clone(), entry))),
            Self::Disk(key, bytes) => {
                let entry = records::decode(tree, &key, &bytes)?;
                Ok(Some((Key::from_bytes(key.to_vec()), entry)))
            }
        }
    }
}

type Items<'a> = Box<dyn Iterator<Item = Result<Item<'a>, Fault>> + 'a>;

fn directed<'a>(
    items: impl DoubleEndedIterator<Item = Result<Item<'a>, Fault>> + 'a,
    backwards: bool,
) -> Items<'a> {
    if backwards {
        Box::new(items.rev())
    } else {
        Box::new(items)
    }
}

fn slots<'a>(layer: &'a Layer, from: &Key, scan: &Scan) -> Items<'a> {
    let range = layer.range(from.clone()..scan.until.clone());
    let items = range.map(|(key, slot)| Ok(Item::Memory(key, slot)));
    directed(items, scan.backwards)
}

/// Merges two ordered iterators; entries of the upper one override those of the lower one.
struct Overlay<'a> {
    upper: Peekable<Items<'a>>,
    lower: Peekable<Items<'a>>,
    backwards: bool,
}

impl Overlay<'_> {
    /// Which iterator is next; `Equal` when both have the same key or one has an error.
    fn order(&mut self) -> Option<Ordering> {
        match (self.upper.peek(), self.lower.peek()) {
            (None, None) => None,
            (Some(_), None) => Some(Ordering::Less),
            (None, Some(_)) => Some(Ordering::Greater),
            (Some(Ok(upper)), Some(Ok(lower))) => {
                let order = upper.key().cmp(lower.key());
                Some(if self.backwards {
                    order.reverse()
                } else {
                    order
                })
            }
            // An error of the lower layer must not be hidden by an entry of the upper one.
            (Some(_), Some(Err(_))) => Some(Ordering::Greater),
            (Some(Err(_)), Some(_)) => Some(Ordering::Less),
        }
    }
}

impl<'a> Iterator for Overlay<'a> {
    type Item = Result<Item<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.order()? {
            Ordering::Less => self.upper.next(),
            Ordering::Greater => self.lower.next(),
            Ordering::Equal => {
                self.lower.next();
                self.upper.next()
            }
        }
    }
}

fn collect(tree: &Tree, items: Items<'_>, scan: &Scan, limit: usize) -> Result<Page, Fault> {
    let mut page = Page::default();
    let mut bytes = 0_usize;
    for item in items {
        if let Some((key, entry)) = item?.entry(tree)? {
            bytes += entry.value.len();
            page.entries.push((key, entry));
        }
        if page.entries.len() >= limit || bytes > PAGE_BYTES {
            page.next = scan.after_page(&page.entries, page.entries.len());
            break;
        }
    }
    Ok(page)
}
