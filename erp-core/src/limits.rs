//! Every limit of the core in one place, each with its reason.

/// Positions in one document. The interface names no bound; 1,000 keeps one document below a megabyte.
pub const POSITIONS_PER_DOCUMENT: usize = 1_000;

/// Fraction digits of a quantity or a unit price, the finest unit the answers can show.
pub const FRACTION_DIGITS: u32 = 6;

/// Quantities are below this bound, so that the product with any price stays within 28 digits.
pub const QUANTITY_BELOW: u64 = 1_000_000_000;

/// Unit prices and amounts sent by a client are below this bound, for the same reason.
pub const AMOUNT_BELOW: u64 = 1_000_000_000;

/// Problems reported for one body. A body of a megabyte could hold 100,000 of them, and nobody reads those.
pub const PROBLEMS_PER_BODY: usize = 1_000;

/// Payment entries in one document: far above any payment protocol, far below a flood.
pub const PAYMENTS_PER_DOCUMENT: usize = 100;

/// How often an operation is decided again after another writer was faster. Each try sees a newer
/// state, and one of the competing writers always gets through.
pub const COMMIT_TRIES: usize = 64;

/// Keys one `get` may ask for.
pub const KEYS_PER_GET: usize = 10_000;

/// Entries one page of a scan may hold, so that a single call never holds a thread for long.
pub const ENTRIES_PER_PAGE: usize = 1_000;

/// Bytes of one key: a stored page holds up to 300 keys, and every one of them must stay small. The longest
/// are those of [`LISTED_BYTES`] with a customer and an address number behind.
pub const KEY_BYTES: usize = 1_100;

/// Bytes of a text by which addresses are listed for the search; of a longer one the beginning counts. Short
/// enough for a key, and not below what keys held when a longer text was refused: no stored list changes.
pub const LISTED_BYTES: usize = 1_002;

/// Bytes of one stored record. Larger things (pictures, documents) are files, not records.
pub const RECORD_BYTES: usize = 2 * 1024 * 1024;

/// Records one entry of the audit trail names; more go into further entries, because an entry is a record.
pub const AUDITED_RECORDS: usize = 10_000;

/// Bytes of all keys and values in one change set.
pub const CHANGE_SET_BYTES: usize = 8 * 1024 * 1024;

/// Characters of the text of a media record: what a `text` column of the usual databases holds. Longer
/// texts are files.
pub const MEDIA_TEXT_CHARACTERS: usize = 65_535;

/// Media of one article. Pictures of all sides in all languages stay far below, and one answer lists them.
pub const MEDIA_PER_ARTICLE: usize = 1_000;

/// Bodies of article media that are listed for removal at once.
pub const CONDEMNED_BODIES: usize = 500;
