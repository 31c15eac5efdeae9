//! Intersection of several sorted lists without reading the lists completely (leapfrog join).
//!
//! A list is a range of keys with one prefix. The rest of the key is the entry, and all lists have entries of the
//! same form. Each list jumps to the highest entry that another list has reached. So the cost depends on the
//! shortest list and on how the lists interleave, not on the longest list.
//!
//! Example: the lists `[1, 5, 9]` and `[2, 3, 4, 5, 6, 9]`. The first is at 1; the second has no 1 and jumps to 2;
//! the first jumps to 5; the second skips 3 and 4 and jumps to 5: both have it, so 5 is the first common entry.

use std::collections::VecDeque;

use super::work::Work;
use super::{Erp, Error};
use crate::storage::{Key, Scan, Storage};

/// Size of the first page of a list, and of later pages while it mostly jumps.
const SMALLEST_PAGE: usize = 8;

/// Page size of a list that is read sequentially.
const LARGEST_PAGE: usize = 256;

/// The part of a key after the prefix of its list.
pub(crate) type Suffix = Vec<u8>;

/// One list and its most recently read page.
#[derive(Debug)]
struct SortedList {
    prefix: Key,
    page: VecDeque<Suffix>,
    page_size: usize,
    /// Sequential steps within the current page; distinguishes steps from jumps.
    steps: usize,
    ended: bool,
}

/// Several lists, read in parallel.
#[derive(Debug)]
pub(crate) struct Intersection {
    lists: Vec<SortedList>,
    /// Lower bound of the next entry.
    from: Suffix,
}

impl Intersection {
    /// Lists of these prefixes; put the one that is likely to be shortest first.
    pub(crate) fn new(prefixes: Vec<Key>) -> Self {
        let list = |prefix| SortedList {
            prefix,
            page: VecDeque::new(),
            page_size: SMALLEST_PAGE,
            steps: 0,
            ended: false,
        };
        Self {
            lists: prefixes.into_iter().map(list).collect(),
            from: Suffix::new(),
        }
    }

    /// The next entry that is in every list; `None` after the last one.
    pub(crate) async fn next<S: Storage>(
        &mut self,
        erp: &Erp<S>,
        work: &mut Work,
    ) -> Result<Option<Suffix>, Error> {
        let mut highest = self.from.clone();
        loop {
            let before = highest.clone();
            for list in &mut self.lists {
                match list.first_from(erp, &highest, work).await? {
                    Some(suffix) => highest = suffix,
                    None => return Ok(None),
                }
            }
            // No list had to advance, so all of them contain this entry.
            if highest == before {
                self.from.clone_from(&highest);
                self.from.push(0);
                return Ok(Some(highest));
            }
        }
    }
}

impl SortedList {
    async fn first_from<S: Storage>(
        &mut self,
        erp: &Erp<S>,
        from: &Suffix,
        work: &mut Work,
    ) -> Result<Option<Suffix>, Error> {
        let before = self.page.len();
        while self.page.front().is_some_and(|suffix| suffix < from) {
            self.page.pop_front();
        }
        if self.page.is_empty() && !self.ended {
            self.read(erp, from, work).await?;
        } else if self.page.len() < before {
            self.steps += 1;
        }
        Ok(self.page.front().cloned())
    }

    async fn read<S: Storage>(
        &mut self,
        erp: &Erp<S>,
        from: &Suffix,
        work: &mut Work,
    ) -> Result<(), Error> {
        if self.steps >= self.page_size / 4 {
            self.page_size = self.page_size.saturating_mul(2).min(LARGEST_PAGE);
        } else if self.steps == 0 {
            self.page_size = (self.page_size / 2).max(SMALLEST_PAGE);
        }
        self.steps = 0;
        let scan = Scan {
            from: Key::from_bytes([self.prefix.as_bytes(), from].concat()),
            ..Scan::prefix(&self.prefix).limit(self.page_size)
        };
        let page = erp.store.scan(scan).await?;
        work.count(page.entries.len().max(1)).await?;
        self.ended = page.next.is_none();
        let start = self.prefix.as_bytes().len();
        let suffix = |key: &Key| key.as_bytes().get(start..).unwrap_or_default().to_vec();
        self.page = page.entries.iter().map(|(key, _)| suffix(key)).collect();
        Ok(())
    }
}
