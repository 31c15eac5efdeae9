//! Objects that are written in the file itself (ISO 32000-1, 7.3.8 and 7.3.10).

use super::kinds::is_white;
use super::lexer::Lexer;
use super::located::{Framing, Located};
use super::object::StreamData;
use super::xref::XrefEntry;
use super::{Dict, Object, PdfError, PdfFile, Result, Stream};
use std::ops::Range;

/// Bytes that are searched in the time of parsing one.
const SEARCHED: usize = 16;

impl<'a> PdfFile<'a> {
    /// As [`PdfFile::read_at`], with the encryption taken off.
    pub(super) fn read_plain(&self, number: u32, at: usize) -> Result<Located> {
        let located = self.read_at(number, at)?;
        #[cfg(feature = "decrypt")]
        if let Some(security) = &self.security {
            return Ok(security.opened(number, located, self.data));
        }
        Ok(located)
    }

    /// Reads the object at a byte of the file.
    pub(super) fn read_at(&self, number: u32, at: usize) -> Result<Located> {
        let mut lexer = Lexer::new(self.data, at, &self.limits);
        let (start, generation, mut framing) = self.object_head(number, &mut lexer)?;
        let object = lexer.object();
        // What cannot be read took its time as well.
        let alive = self.parsed(start, &lexer)?;
        let mut value_end = lexer.position();
        self.skip_white(&mut lexer)?;
        let object = match object? {
            Object::Dict(dict) if lexer.rest().starts_with(b"stream") => {
                lexer.seek(lexer.position() + 6);
                let range = self.stream_range(number, &dict, &mut lexer, &mut framing)?;
                value_end = lexer.position();
                Object::Stream(Stream {
                    dict,
                    data: StreamData::InFile(range),
                })
            }
            other => other,
        };
        self.skip_white(&mut lexer)?;
        let end_keyword = lexer.position();
        if lexer.rest().starts_with(b"endobj") {
            framing.spacing |= !ends_line(self.data, end_keyword);
            lexer.seek(end_keyword + 6);
            framing.spacing |= !begins_line(self.data, end_keyword + 6);
        } else {
            framing.spacing = true;
            lexer.seek(value_end);
        }
        Ok(Located {
            alive,
            object,
            span: start..lexer.position(),
            in_stream: None,
            generation,
            framing,
            syntax: lexer.syntax,
        })
    }

    /// Reads `12 0 obj`; returns its start, the generation and how it is framed.
    fn object_head(&self, number: u32, lexer: &mut Lexer<'a>) -> Result<(usize, u16, Framing)> {
        let at = lexer.position();
        let damaged = || PdfError::damaged("an object is not where it should be", at);
        self.skip_white(lexer)?;
        let start = lexer.position();
        let found = lexer.unsigned::<u64>();
        let number_end = lexer.position();
        self.skip_white(lexer)?;
        let generation_start = lexer.position();
        let generation = lexer.unsigned::<u16>();
        let generation_end = lexer.position();
        self.skip_white(lexer)?;
        let keyword = lexer.position();
        if found != Some(u64::from(number)) || !lexer.rest().starts_with(b"obj") {
            return Err(damaged());
        }
        let generation = generation.ok_or_else(damaged)?;
        lexer.seek(keyword + 3);
        let framing = Framing {
            spacing: generation_start != number_end + 1
                || keyword != generation_end + 1
                || !ends_line(self.data, start)
                || !begins_line(self.data, keyword + 3),
            ..Framing::default()
        };
        Ok((start, generation, framing))
    }

    /// Skips white space and comments, which may be long; fails at once when the limit is reached.
    fn skip_white(&self, lexer: &mut Lexer<'_>) -> Result<()> {
        self.count_parsed(0)?;
        let before = lexer.position();
        lexer.skip_white();
        self.count_parsed(lexer.position().saturating_sub(before))
    }

    /// The data of a stream whose keyword was just read.
    fn stream_range(
        &self,
        number: u32,
        dict: &Dict,
        lexer: &mut Lexer<'a>,
        framing: &mut Framing,
    ) -> Result<Range<usize>> {
        let line = line_end(lexer.rest());
        framing.stream_lines = !matches!(lexer.rest(), [b'\n', ..] | [b'\r', b'\n', ..]);
        let start = lexer.position() + line;
        let length = self.stream_length(number, dict)?;
        let stated = length.and_then(|length| start.checked_add(length));
        if let Some(end) = stated {
            let line = line_end(self.data.get(end..).unwrap_or_default());
            if self.has_at(end + line, b"endstream") {
                framing.stream_lines |= line == 0;
                lexer.seek(end + line + 9);
                return Ok(start..end);
            }
        }
        framing.wrong_length = true;
        framing.stream_lines = true;
        self.searched_end(start, stated, lexer)
    }

    fn has_at(&self, at: usize, word: &[u8]) -> bool {
        let rest = self.data.get(at..);
        rest.is_some_and(|rest| rest.starts_with(word))
    }

    /// The end of data whose length is not the stated one: the next `endstream`.
    fn searched_end(
        &self,
        start: usize,
        stated: Option<usize>,
        lexer: &mut Lexer<'a>,
    ) -> Result<Range<usize>> {
        // White space after the stated length does not make it doubtful.
        if let Some(end) = stated {
            let after = self.data.get(end..).unwrap_or_default().iter().take(16);
            let white = after.take_while(|byte| is_white(**byte)).count();
            if self.has_at(end + white, b"endstream") {
                lexer.seek(end + white + 9);
                return Ok(start..end);
            }
        }
        // No `endstream` starts after the searched part; one may start directly before it.
        let end = self.state.borrow().no_stream_ends_after;
        let end = end.map_or(self.data.len(), |end| end.saturating_add(8));
        let rest = self.data.get(start..end.min(self.data.len()));
        let rest = rest.unwrap_or_default();
        let found = memchr::memmem::find(rest, b"endstream");
        // Searching is quick, but streams may lie over each other.
        self.count_parsed(found.unwrap_or(rest.len()) / SEARCHED)?;
        let Some(found) = found else {
            let known = &mut self.state.borrow_mut().no_stream_ends_after;
            *known = Some(known.map_or(start, |known| known.min(start)));
            return Err(PdfError::damaged("a stream has no end", start));
        };
        lexer.seek(start + found + 9);
        let data = rest.get(..found).unwrap_or_default();
        let line = match data {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n' | b'\r'] => 1,
            _ => 0,
        };
        Ok(start..start + found - line)
    }

    /// `/Length`, which may be an indirect object.
    fn stream_length(&self, number: u32, dict: &Dict) -> Result<Option<usize>> {
        let value = match dict.get("Length") {
            Some(Object::Integer(value)) => Some(*value),
            // The length of a stream cannot be a stream; that would go round in circles.
            Some(Object::Reference(id)) if id.number != number => match self.entry(id.number)? {
                XrefEntry::At(at) => self.plain_integer(id.number, at)?,
                XrefEntry::InStream { stream } if stream != number => self
                    .object(id.number)?
                    .and_then(|located| located.object.as_integer()),
                _ => None,
            },
            _ => None,
        };
        Ok(value.and_then(|value| usize::try_from(value).ok()))
    }

    /// The number that is the object at a byte of the file, if it is one.
    fn plain_integer(&self, number: u32, at: usize) -> Result<Option<i64>> {
        let mut lexer = Lexer::new(self.data, at, &self.limits);
        let value = integer_object(&mut lexer, number);
        self.count_parsed(lexer.position().saturating_sub(at))?;
        Ok(value)
    }
}

/// Any other object is not read: it may be large, and many streams may name it as their length.
fn integer_object(lexer: &mut Lexer<'_>, number: u32) -> Option<i64> {
    lexer.skip_white();
    (lexer.unsigned::<u64>() == Some(u64::from(number))).then_some(())?;
    lexer.skip_white();
    lexer.unsigned::<u64>()?;
    lexer.skip_white();
    lexer.take_keyword(b"obj").then_some(())?;
    lexer.skip_white();
    matches!(lexer.peek(), Some(b'0'..=b'9' | b'+')).then_some(())?;
    lexer.object().ok()?.as_integer()
}

/// Whether a line ends right before `at`.
fn ends_line(data: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1);
    before.is_none_or(|before| matches!(data.get(before), Some(b'\n' | b'\r')))
}

/// Whether a line ends at `at`.
fn begins_line(data: &[u8], at: usize) -> bool {
    matches!(data.get(at), None | Some(b'\n' | b'\r'))
}

/// Bytes of the line end that comes next.
const fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}
