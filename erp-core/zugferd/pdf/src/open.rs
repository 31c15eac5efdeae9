//! Opening a PDF: the end of the file leads to the newest cross-reference section, and that to the older ones.

use super::chain::Chain;
use super::file::Opened;
use super::lexer::Lexer;
use super::state::FileState;
use super::xref::{ROW, Rows, Run, Section, SectionKind};
use super::{Dict, Limits, Object, PdfError, PdfFile, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// `%PDF-` is in these first bytes, as readers look for it.
const HEADER_WITHIN: usize = 1_024;
/// Runs of numbers in all tables together: they stay in memory, and an honest file has one for each update.
const RUNS: usize = 500_000;
const SUBSECTIONS: &str = "cross-reference subsections";
/// Decoded bytes of all cross-reference streams together: twice the need of the maximum number of objects.
const ROW_BYTES: usize = 32 << 20;

impl<'a> PdfFile<'a> {
    /// Opens a PDF by its cross-reference chain, or, where that is broken, by looking for its objects.
    /// Errors: [`PdfError::NotAPdf`], [`PdfError::TooLarge`], and [`PdfError::Damaged`] when no objects are found.
    pub fn open(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let header = find_header(data, limits)?;
        match Self::open_as_written(data, header, limits) {
            Err(error) if error.is_damage() || matches!(error, PdfError::Undecodable(_)) => {
                Self::rebuild(data, limits)
            }
            opened => opened,
        }
    }

    fn open_as_written(data: &'a [u8], header: usize, limits: &Limits) -> Result<Self> {
        let from_header = data.get(header..).unwrap_or_default();
        let mut opened = Self::open_chain(from_header, limits);
        let offsets_after_junk = header > 0 && opened.is_ok();
        if header > 0 && opened.is_err() {
            opened = Self::open_chain(data, limits);
        }
        let mut file = opened?;
        file.opened.junk_before = header;
        file.opened.offsets_after_junk = offsets_after_junk;
        Ok(file)
    }

    pub(super) fn unopened(data: &'a [u8], limits: &Limits) -> Self {
        Self {
            data,
            limits: *limits,
            chain: Chain {
                data,
                sections: Vec::new(),
            },
            trailer: Dict::new(),
            opened: Opened::default(),
            state: RefCell::new(FileState::default()),
            memory: Rc::default(),
            inflating: RefCell::default(),
            #[cfg(feature = "decrypt")]
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
                let what = "the cross-reference chain is a circle";
                return Err(PdfError::damaged(what, at));
            }
            let sections = file.chain.sections.len() + 1;
            PdfError::within("cross-reference sections", sections, limits.sections)?;
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
                file.chain.sections.push(hidden);
            }
            file.chain.sections.push(section);
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
        let missing = || PdfError::damaged("the cross-reference section is missing", at);
        let number = lexer.unsigned::<u32>().ok_or_else(missing)?;
        let located = self.read_at(number, at)?;
        let stream = located.object.as_stream();
        let stream = stream.filter(|stream| stream.dict.is_type("XRef"));
        let stream = stream.ok_or_else(missing)?;
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
            runs.push(table_run(&mut lexer, self.data)?);
            PdfError::within(SUBSECTIONS, runs.len(), RUNS)?;
        }
        let Object::Dict(dict) = lexer.object()? else {
            let place = lexer.position();
            return Err(PdfError::damaged("the trailer is missing", place));
        };
        // Stable, so that of a number that is there twice the later run counts.
        runs.sort_by_key(|run: &Run| run.first);
        let section = Section {
            at,
            kind: SectionKind::Table,
            rows: Rows::InFile,
            runs,
        };
        Ok((section, dict))
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
        self.rows += match &section.rows {
            Rows::Decoded { bytes, .. } => bytes.len(),
            _ => 0,
        };
        PdfError::within("bytes of cross-reference streams", self.rows, ROW_BYTES)?;
        PdfError::within(SUBSECTIONS, self.runs, RUNS)
    }
}

fn table_run(lexer: &mut Lexer<'_>, data: &[u8]) -> Result<Run> {
    let at = lexer.position();
    let damaged = || PdfError::damaged("the cross-reference table is broken", at);
    let mut first = lexer.unsigned::<u32>().ok_or_else(damaged)?;
    lexer.skip_white();
    let count = lexer.unsigned::<u32>().ok_or_else(damaged)?;
    lexer.skip_white();
    let start = lexer.position();
    let rows = usize::try_from(count).ok();
    let length = rows.and_then(|count| count.checked_mul(ROW));
    let end = length.and_then(|length| start.checked_add(length));
    let rows = end.and_then(|end| data.get(start..end));
    let rows = rows.ok_or_else(damaged)?;
    // A table is off by one if it starts at 1 and its first line is that of object 0.
    if first == 1 && rows.starts_with(b"0000000000 65535 f") {
        first = 0;
    }
    // The last line may lack its second byte of line end.
    if !matches!(rows, [] | [.., b'n' | b'f', _, _]) {
        return Err(damaged());
    }
    lexer.seek(start + rows.len());
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
    let index = dict.get("Index").and_then(Object::as_array);
    let index = index.unwrap_or(&whole);
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
    PdfError::within(SUBSECTIONS, runs.len(), RUNS)?;
    runs.sort_by_key(|run| run.first);
    Ok((Rows::Decoded { bytes, widths }, runs))
}

/// An offset; some writers add a fraction of zero.
fn offset(dict: &Dict, name: &str) -> Option<usize> {
    match dict.get(name)? {
        Object::Integer(value) => usize::try_from(*value).ok(),
        Object::Real(text) => text.split('.').next()?.parse().ok(),
        _ => None,
    }
}

pub(super) fn find_header(data: &[u8], limits: &Limits) -> Result<usize> {
    PdfError::within("bytes of the file", data.len(), limits.input_bytes)?;
    let start = data.get(..HEADER_WITHIN).unwrap_or(data);
    memchr::memmem::find(start, b"%PDF-").ok_or(PdfError::NotAPdf)
}

/// The number after the last `startxref`.
fn find_startxref(data: &[u8]) -> Result<usize> {
    let damaged = || PdfError::damaged("`startxref` is missing", data.len());
    let at = memchr::memmem::rfind(data, b"startxref").ok_or_else(damaged)?;
    let mut lexer = Lexer::new(data, at + 9, &Limits::DEFAULT);
    lexer.skip_white();
    let start = lexer.unsigned::<usize>();
    start.filter(|at| *at < data.len()).ok_or_else(damaged)
}
