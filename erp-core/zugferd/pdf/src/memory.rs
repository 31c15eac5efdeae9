//! What one task holds in memory and how much it has read.

use super::{Dict, Limits, Object, PdfError, Result, Stream};
use std::cell::Cell;
use std::rc::Rc;

/// Memory of one value, without the memory it points to.
const VALUE: usize = size_of::<Object>();
/// A value costs as much time as this number of bytes of text.
const VALUE_TIME: usize = 8;

// rule: R-ZUG-38
/// Counts of one file.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Bytes of objects that are parsed and not dropped.
    alive: Cell<usize>,
    /// Bytes of what was noted from objects.
    pub(super) noted: Cell<usize>,
    /// Bytes and values that were read.
    pub(super) parsed: Cell<usize>,
}

/// The part of a parsed object in the count; dropping it takes it out.
#[derive(Debug, Default)]
pub(super) struct Alive {
    counts: Rc<Memory>,
    pub(super) bytes: usize,
    /// Bytes of the text it was read from, without the data of a stream.
    pub(super) text: usize,
}

impl Drop for Alive {
    fn drop(&mut self) {
        let alive = &self.counts.alive;
        alive.set(alive.get().saturating_sub(self.bytes));
    }
}

impl Memory {
    /// Counts an object by its values and the bytes of its text; `own` bytes are added.
    pub(super) fn parsed(
        self: &Rc<Self>,
        text: usize,
        values: usize,
        own: usize,
        limit: usize,
    ) -> Result<Alive> {
        let cost = text.saturating_add(values.saturating_mul(VALUE_TIME));
        let parsed = self.parsed.get().saturating_add(cost);
        self.parsed.set(parsed);
        PdfError::within("bytes and values of all objects together", parsed, limit)?;
        let values = values.saturating_mul(VALUE);
        let bytes = text.saturating_add(values).saturating_add(own);
        self.alive.set(self.alive.get().saturating_add(bytes));
        Ok(Alive {
            counts: Rc::clone(self),
            bytes,
            text,
        })
    }

    /// Counts bytes that are kept until the task ends.
    pub(super) fn note(&self, bytes: usize) {
        self.noted.set(self.noted.get().saturating_add(bytes));
    }

    /// Whether more is held than allowed.
    pub(super) fn check(&self, cached: usize, limits: &Limits) -> Result<()> {
        let alive = self.alive.get().saturating_sub(cached);
        let held = alive.saturating_add(self.noted.get());
        PdfError::within("bytes of values held at one time", held, limits.held_bytes)
    }

    /// Starts another task: nothing is read yet, and only `noted` bytes are held.
    pub(super) fn renew(&self, noted: usize) {
        self.noted.set(noted);
        self.parsed.set(0);
    }
}

/// The memory that a value takes.
pub(super) fn weight(object: &Object) -> usize {
    VALUE.saturating_add(match object {
        Object::Name(name) => name.len(),
        Object::String(string) => string.bytes.len(),
        Object::Array(items) => items.iter().map(weight).sum(),
        Object::Dict(dict) => dict_weight(dict),
        Object::Stream(Stream { dict, .. }) => dict_weight(dict),
        _ => 0,
    })
}

pub(super) fn dict_weight(dict: &Dict) -> usize {
    dict.iter()
        .map(|(name, value)| {
            name.len()
                .saturating_add(VALUE / 2)
                .saturating_add(weight(value))
        })
        .sum()
}
