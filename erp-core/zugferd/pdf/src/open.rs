//! Opening a PDF: the end of the file leads to the newest cross-reference section, and that to the older ones.

use super::chain::Chain;
use super::file::Opened;
use super::lexer::Lexer;
use super::memory::Memory;
use super::state::FileState;
use super::xref::{ROW, Rows, Run, Section, SectionKind};
use super::{Dict, Limits, Object, PdfError, PdfFile, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// `%PDF-` is in these first bytes, as readers look for it.
const HEADER_WITHIN: usize = 1_024;
/// Runs of numbers in all tables together: they stay in memory, and an honest file has one for each update.
const RUNS: usize = 500_000;
/// Decoded bytes of all cross-reference streams together: twice the need of the maximum number of objects.
const ROW_BYTES: usize = 32 << 20;

impl<'a> PdfFile<'a> {
    /// Opens a PDF by its cross-reference chain, or, where that is broken, by looking for its objects.
    ///
    /// # Errors
    /// [`PdfError::NotAPdf`], [`PdfError::TooLarge`], and [`PdfError::Damaged`] when no objects are found.
    pub fn open(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let header = find_header(data, limits)?;
        let opened = Self::open_as_written(data, header, limits);
        match opened {
            Ok(file) => Ok(file),
            Err(error) if error.is_damage() || matches!(error, PdfError::Undecodable(_)) => {
                Self::rebuild(data, limits)
            }
            Err(error) => Err(error),
        }
    }

    fn open_as_written(data: &'a [u8], header: usize, limits: &Limits) -> Result<Self> {
        let from_header = data.get(header..).unwrap_or_default();
        let first = Self::open_chain(from_header, limits);
        if header == 0 || first.is_ok() {
            return first.map(|mut file| {
                file.opened.junk_before = header;
                file.opened.offsets_after_junk = header > 0;
                file
            });
        }
        let mut file = Self::open_chain(data, limits)?;
        file.opened.junk_before = header;
        Ok(file)
    }

    pub(super) fn unopened(data: &'a [u8], limits: &Limits) -> Self {
        Self {
            data,
            limits: *limits,
            chain: Chain::new(data),
            trailer: Dict::new(),
            opened: Opened::default(),
            state: RefCell::new(FileState::default()),
            memory: Memory::default(),
            inflating: RefCell::default(),
            security: None,
        }
    }

    fn open_chain(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut file = Self::unopened(data, limits);
        let start = find_startxref(data)?;
        file.opened.startxref = start;
        let mut waiting = vec![start];
        let mut seen = BTreeSet::new();
        let mut counts = SectionCounts::default();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                return Err(PdfError::damaged(
                    "the cross-reference chain is a circle",
                    at,
                ));
            }
            if file.sections().len() >= limits.sections {
                return Err(PdfError::too_large(
                    "cross-reference sections",
                    limits.sections,
                ));
            }
            let (section, dict) = file.read_section(at)?;
            counts.add(&section)?;
            if let Some(previous) = offset(&dict, "Prev") {
                waiting.push(previous);
            }
            // Objects a hybrid file hides from old readers; they count before those of the table (7.5.8.4).
            if let (SectionKind::Table, Some(hidden)) = (section.kind, offset(&dict, "XRefStm"))
                && seen.insert(hidden)
            {
                let (hidden, _) = file.read_section(hidden)?;
                counts.add(&hidden)?;
                file.chain.push(hidden);
            }
            file.chain.push(section);
            if file.trailer.is_empty() {
                file.trailer = dict;
            }
        }
        file.catalog()?;
        Ok(file)
    }

    fn read_section(&self, at: usize) -> Result<(Section, Dict)> {
        let mut lexer = Lexer::new(self.data, at, &self.limits);
        lexer.skip_white();
        if lexer.take_keyword(b"xref") {
            return self.read_table(at, lexer);
        }
        let number = lexer.unsigned::<u32>();
        let missing = PdfError::damaged("the cross-reference section is missing", at);
        let Some(number) = number else {
            return Err(missing);
        };
        let located = self.read_at(number, at)?;
        let Some(stream) = located
            .object
            .as_stream()
            .filter(|stream| stream.dict.is_type("XRef"))
        else {
            return Err(missing);
        };
        let bytes = self.decoded(stream)?.into_owned();
        let (rows, runs) = stream_rows(&stream.dict, bytes, at)?;
        let section = Section {
            at,
            kind: SectionKind::Stream,
            rows,
            runs,
        };
        Ok((section, stream.dict.clone()))
    }

    fn read_table(&self, at: usize, mut lexer: Lexer<'a>) -> Result<(Section, Dict)> {
        let mut runs = Vec::new();
        loop {
            lexer.skip_white();
            if lexer.take_keyword(b"trailer") {
                break;
            }
            let run = table_run(&mut lexer, self.data)?;
            if runs.len() >= RUNS {
                return Err(PdfError::too_large("cross-reference subsections", RUNS));
            }
            runs.push(run);
        }
        let Object::Dict(dict) = lexer.object()? else {
            return Err(PdfError::damaged(
                "the trailer is missing",
                lexer.position(),
            ));
        };
        // Stable, so that of a number that is there twice the later run counts.
        runs.sort_by_key(|run: &Run| run.first);
        Ok((
            Section {
                at,
                kind: SectionKind::Table,
                rows: Rows::InFile,
                runs,
            },
            dict,
        ))
    }
}

/// What all sections of a file hold together.
#[derive(Default)]
struct SectionCounts {
    runs: usize,
    rows: usize,
}

impl SectionCounts {
    fn add(&mut self, section: &Section) -> Result<()> {
        self.runs += section.runs.len();
        self.rows += section.decoded_bytes();
        if self.rows > ROW_BYTES {
            return Err(PdfError::too_large(
                "bytes of cross-reference streams",
                ROW_BYTES,
            ));
        }
        if self.runs > RUNS {
            return Err(PdfError::too_large("cross-reference subsections", RUNS));
        }
        Ok(())
    }
}

fn table_run(lexer: &mut Lexer<'_>, data: &[u8]) -> Result<Run> {
    let at = lexer.position();
    let damaged = PdfError::damaged("the cross-reference table is broken", at);
    let first = lexer.unsigned::<u32>();
    lexer.skip_white();
    let count = lexer.unsigned::<u32>();
    let (Some(first), Some(count)) = (first, count) else {
        return Err(damaged);
    };
    lexer.skip_white();
    let start = lexer.position();
    let length = usize::try_from(count)
        .ok()
        .and_then(|count| count.checked_mul(ROW));
    let end = length
        .and_then(|length| start.checked_add(length))
        .filter(|end| *end <= data.len());
    let Some(end) = end else { return Err(damaged) };
    // A table is off by one if it starts at 1 and its first line is that of object 0.
    let head = data
        .get(start..start.saturating_add(18))
        .unwrap_or_default();
    let first = if first == 1 && head == b"0000000000 65535 f" {
        0
    } else {
        first
    };
    // The last line may lack its second byte of line end.
    let last_is_row = count == 0
        || data
            .get(end - 3)
            .is_some_and(|kind| matches!(kind, b'n' | b'f'));
    if !last_is_row {
        return Err(damaged);
    }
    lexer.seek(end);
    Ok(Run {
        first,
        count,
        start,
    })
}

fn stream_rows(dict: &Dict, bytes: Vec<u8>, at: usize) -> Result<(Rows, Vec<Run>)> {
    let damaged = PdfError::damaged("the cross-reference stream is broken", at);
    let widths: Option<Vec<usize>> = dict.get("W").and_then(Object::as_array).and_then(|widths| {
        let number = |width: &Object| width.as_count::<usize>();
        widths.iter().map(number).collect()
    });
    let Some(Ok(widths)) = widths.map(<[usize; 3]>::try_from) else {
        return Err(damaged);
    };
    let width: usize = widths.iter().map(|width| (*width).min(100)).sum();
    if width == 0 || widths.iter().any(|width| *width > 8) {
        return Err(damaged);
    }
    let size = dict.integer("Size").unwrap_or(0);
    let whole = [Object::Integer(0), Object::Integer(size)];
    let index = dict
        .get("Index")
        .and_then(Object::as_array)
        .unwrap_or(&whole);
    let mut runs = Vec::new();
    let mut row = 0_usize;
    let available = bytes.len() / width;
    for pair in index.chunks_exact(2) {
        let mut numbers = pair.iter().map(|value| value.as_count::<u32>());
        let (Some(Some(first)), Some(Some(count))) = (numbers.next(), numbers.next()) else {
            return Err(damaged);
        };
        let left = u32::try_from(available.saturating_sub(row)).unwrap_or(u32::MAX);
        let count = count.min(left);
        runs.push(Run {
            first,
            count,
            start: row * width,
        });
        row += usize::try_from(count).unwrap_or(usize::MAX);
    }
    if runs.len() > RUNS {
        return Err(PdfError::too_large("cross-reference subsections", RUNS));
    }
    runs.sort_by_key(|run| run.first);
    Ok((Rows::Decoded { bytes, widths }, runs))
}

fn offset(dict: &Dict, name: &str) -> Option<usize> {
    dict.get(name)?.as_number_offset()
}

impl Object {
    /// An offset; some writers add a fraction of zero.
    fn as_number_offset(&self) -> Option<usize> {
        match self {
            Self::Integer(value) => usize::try_from(*value).ok(),
            Self::Real(text) => text.split('.').next()?.parse().ok(),
            _ => None,
        }
    }
}

pub(super) fn find_header(data: &[u8], limits: &Limits) -> Result<usize> {
    if data.len() > limits.input_bytes {
        return Err(PdfError::too_large("bytes of the file", limits.input_bytes));
    }
    let start = data
        .get(..data.len().min(HEADER_WITHIN))
        .unwrap_or_default();
    memchr::memmem::find(start, b"%PDF-").ok_or(PdfError::NotAPdf)
}

/// The number after the last `startxref`.
fn find_startxref(data: &[u8]) -> Result<usize> {
    let damaged = PdfError::damaged("`startxref` is missing", data.len());
    let Some(at) = memchr::memmem::rfind(data, b"startxref") else {
        return Err(damaged);
    };
    let mut lexer = Lexer::new(data, at + 9, &Limits::DEFAULT);
    lexer.skip_white();
    let start = lexer.unsigned::<usize>();
    start.filter(|start| *start < data.len()).ok_or(damaged)
}
