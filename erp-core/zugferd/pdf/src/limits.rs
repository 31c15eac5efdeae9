//! Limits on the cost of reading a PDF.

/// Limits on the work and the memory for a file.
///
/// A file that needs more ends in [`PdfError::TooLarge`](super::PdfError::TooLarge), whatever it declares.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the file.
    pub input_bytes: usize,
    /// Bytes of one stream after its filters.
    pub stream_bytes: usize,
    /// Bytes that go into or come out of the filters of all streams, the larger, each time one is read.
    pub total_bytes: usize,
    /// Object numbers the file may have.
    pub objects: usize,
    /// Values inside one object.
    pub values: usize,
    /// Bytes of objects and of decoded object streams that are kept so that they are not read again, each; of objects,
    /// half the file comes on top, at most 32 MiB.
    pub cached_bytes: usize,
    /// Bytes of objects in use at one time, and of notes about them.
    pub held_bytes: usize,
    /// Bytes of the content of one page, form or pattern after its filters.
    pub content_bytes: usize,
    /// Bytes and values of all objects together, each time one is read; 16 times the file comes on top.
    pub parsed_bytes: usize,
    /// Arrays and dictionaries inside each other.
    pub depth: usize,
    /// Filters of one stream.
    pub filters: usize,
    /// Sections of the cross-reference chain, one for each time the file was saved.
    pub sections: usize,
    /// Entries of a name tree and nodes of a page tree.
    pub tree_nodes: usize,
    /// Asked before each object and stream whether the result is still wanted; once it is not, the file ends in an error
    /// as well.
    pub keep_going: fn() -> bool,
}

impl Limits {
    /// 256 MiB decoded in total, 64 levels; no file takes more than 128 MiB of memory above its own size.
    pub const DEFAULT: Self = Self {
        input_bytes: 256 << 20,
        stream_bytes: 32 << 20,
        total_bytes: 256 << 20,
        objects: 2_000_000,
        values: 250_000,
        cached_bytes: 16 << 20,
        held_bytes: 32 << 20,
        content_bytes: 32 << 20,
        parsed_bytes: 64 << 20,
        depth: 64,
        filters: 8,
        sections: 1_000,
        tree_nodes: 100_000,
        keep_going: || true,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
