//! All limits of the core, each with its reason.

// rule: R-END-08
/// Positions in one document. The interface sets no limit; 1,000 keeps a document below a megabyte.
pub const POSITIONS_PER_DOCUMENT: usize = 1_000;

/// Fraction digits of a quantity or a unit price: the finest resolution that responses can show.
pub const FRACTION_DIGITS: u32 = 6;

/// Quantities must be below this, so that the product with any price stays within 28 digits.
pub const QUANTITY_BELOW: u64 = 1_000_000_000;

/// Stored stock must be below this, of either sign: a thousand million orders may each take out a quantity.
pub const STOCK_BELOW: u64 = 1_000_000_000 * QUANTITY_BELOW;

/// Unit prices and amounts sent by a client must be below this, for the same reason.
pub const AMOUNT_BELOW: u64 = 1_000_000_000;

/// Problems reported for one body. A body of a megabyte could contain 100,000; a longer list would be of no use.
pub const PROBLEMS_PER_BODY: usize = 1_000;

/// Payment entries in one document: far more than any payment protocol needs, few enough to prevent abuse.
pub const PAYMENTS_PER_DOCUMENT: usize = 100;

/// Maximum number of attempts of an operation when other writers commit first. Each attempt sees a newer state, and
/// one of the competing writers always succeeds.
pub const COMMIT_TRIES: usize = 64;

/// Keys per call of `get`.
pub const KEYS_PER_GET: usize = 10_000;

/// Entries per page of a scan, so that a single call does not block a thread for long.
pub const ENTRIES_PER_PAGE: usize = 1_000;

/// Bytes of one key: a stored page holds up to 300 keys, so each must stay small. The longest keys consist of
/// [`LISTED_BYTES`] followed by a customer and an address number.
pub const KEY_BYTES: usize = 1_100;

/// Bytes of a text in the search index of addresses; of a longer text only the beginning is indexed, so that every key
/// has room.
pub const LISTED_BYTES: usize = 1_002;

/// Bytes of one stored record. Larger things (pictures, documents) are files, not records.
pub const RECORD_BYTES: usize = 2 * 1024 * 1024;

/// Records named in one entry of the audit trail; more are split over several entries because of the record size
/// limit.
pub const AUDITED_RECORDS: usize = 10_000;

/// Bytes of what the audit trail keeps of one changed record, old and new: all but very long texts.
pub const DIFFERENCE_BYTES: usize = 8 * 1024;

/// Bytes of what the audit trail keeps of all records that one commit changes: some thousand prices. Compressed they take
/// about a tenth.
pub const DIFFERENCES_BYTES: usize = 256 * 1024;

/// Bytes of all keys and values in one change set.
pub const CHANGE_SET_BYTES: usize = 8 * 1024 * 1024;

/// Characters in the text of a media record: the capacity of a `text` column in common databases. Longer texts must be
/// files.
pub const MEDIA_TEXT_CHARACTERS: usize = 65_535;

/// Bytes of a company's logo: sharp at the size of its place on an invoice, and small enough for the company's record.
pub const LOGO_BYTES: usize = 100_000;

/// Media of one article. Pictures of all sides in all languages stay far below; a single response lists them all.
pub const MEDIA_PER_ARTICLE: usize = 1_000;

/// Article numbers in one event: its body stays below 20 kB.
pub const ARTICLES_PER_EVENT: usize = 1_000;

/// Changed articles in one note or one entry of the log of changes, so that each is written and read with little.
pub const CHANGES_PER_ENTRY: usize = 1_000;

/// Changed articles in the whole log of changes: a few megabytes. A client that is further behind reads all articles, which
/// hardly costs more.
pub const CHANGES_IN_LOG: u64 = 200_000;
