//! Bytes as objects: the syntax of ISO 32000-1, 7.2 and 7.3.

use super::kinds::{DELIMITER, NUMERIC, WHITE, before, is, is_white};
use super::object::{Name, PdfString};
use super::tokens::{self, StringToken, Token, Tokens};
use super::{Dict, Limits, Object, ObjectId, PdfError, Result};
use smol_str::SmolStr;

/// What was read that PDF/A forbids although it can be understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Syntax {
    /// A hexadecimal string has an odd number of digits (6.1.6).
    pub odd_hexadecimal: bool,
    /// A hexadecimal string has other characters (6.1.6).
    pub wrong_hexadecimal: bool,
    /// A string, name or number is beyond the limits of 6.1.13.
    pub beyond_limits: bool,
}

/// Reads objects one after the other.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    data: &'a [u8],
    position: usize,
    depth: usize,
    /// How many more values may be read.
    values: usize,
    most_values: usize,
    /// References are read; content streams have none.
    references: bool,
    /// What PDF/A forbids in what was read.
    pub syntax: Syntax,
}

impl<'a> Lexer<'a> {
    /// Reads from `position`; values may be `depth` levels deep.
    pub fn new(data: &'a [u8], position: usize, limits: &Limits) -> Self {
        Self {
            data,
            position,
            depth: limits.depth,
            values: limits.values,
            most_values: limits.values,
            references: true,
            syntax: Syntax::default(),
        }
    }

    /// Reads the operands of a content stream, where `1 0 R` is not a reference.
    pub fn content(data: &'a [u8], limits: &Limits) -> Self {
        let mut lexer = Self::new(data, 0, limits);
        lexer.references = false;
        lexer
    }

    /// Offset of the next byte to read.
    pub const fn position(&self) -> usize {
        self.position
    }

    /// Goes on reading at another place.
    pub const fn seek(&mut self, position: usize) {
        self.position = position;
    }

    /// Allows as many values again as at the start, for the next operator of a content stream.
    pub const fn allow_values(&mut self, limits: &Limits) {
        self.values = limits.values;
    }

    pub(super) const fn values_read(&self) -> usize {
        self.most_values.saturating_sub(self.values)
    }

    /// The byte that is read next.
    pub fn peek(&self) -> Option<u8> {
        self.data.get(self.position).copied()
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(self.position..).unwrap_or_default()
    }

    /// Goes past white space and comments.
    pub fn skip_white(&mut self) {
        while let Some(byte) = self.peek() {
            if is_white(byte) {
                self.position += 1;
            } else if byte == b'%' {
                let rest = self.rest();
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                self.position += end.unwrap_or(rest.len());
            } else {
                break;
            }
        }
    }

    /// Skips `word` if it is the next token.
    pub fn take_keyword(&mut self, word: &[u8]) -> bool {
        let rest = self.rest();
        let follows = rest
            .get(word.len())
            .is_none_or(|byte| is(*byte, WHITE | DELIMITER));
        let found = rest.starts_with(word) && follows;
        if found {
            self.position += word.len();
        }
        found
    }

    /// Regular characters up to the next white space or delimiter.
    pub fn token(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = before(rest, WHITE | DELIMITER);
        self.position += end;
        rest.get(..end).unwrap_or_default()
    }

    /// A number without sign or fraction; `None` also for one that does not fit.
    pub fn unsigned<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let mut value: Option<u64> = None;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            let next = value.unwrap_or(0).checked_mul(10)?;
            value = Some(next.checked_add(u64::from(byte - b'0'))?);
            self.position += 1;
        }
        T::try_from(value?).ok()
    }

    const fn damaged(&self, what: &'static str) -> PdfError {
        PdfError::damaged(what, self.position)
    }

    /// The next object.
    ///
    /// # Errors
    /// [`PdfError::Damaged`] when the next token is not an object, [`PdfError::TooLarge`] when it is nested too deeply.
    pub fn object(&mut self) -> Result<Object> {
        self.skip_white();
        let values = self.values.checked_sub(1);
        let most = self.most_values;
        self.values = values.ok_or_else(|| PdfError::too_large("values in one object", most))?;
        match self.peek() {
            None => Err(self.damaged("the file ends inside an object")),
            Some(b'/') => Ok(Object::Name(self.name())),
            Some(b'<') if self.rest().starts_with(b"<<") => self.nested(Self::dict),
            Some(b'(' | b'<') => self.string().map(Object::String),
            Some(b'[') => self.nested(Self::array),
            Some(b'0'..=b'9') if self.references => self.number_or_reference(),
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => self.number(),
            Some(_) => self.constant(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Object>) -> Result<Object> {
        let (depth, most) = (self.depth.checked_sub(1), Limits::DEFAULT.depth);
        self.depth = depth.ok_or_else(|| PdfError::too_large("levels of nesting", most))?;
        let value = read(self);
        self.depth += 1;
        value
    }

    fn constant(&mut self) -> Result<Object> {
        let start = self.position;
        match self.token() {
            b"true" => Ok(Object::Bool(true)),
            b"false" => Ok(Object::Bool(false)),
            b"null" => Ok(Object::Null),
            _ => {
                self.position = start;
                Err(self.damaged("an object was expected"))
            }
        }
    }

    fn array(&mut self) -> Result<Object> {
        self.position += 1;
        let mut items = Vec::new();
        loop {
            self.skip_white();
            if self.peek() == Some(b']') {
                self.position += 1;
                return Ok(Object::Array(items));
            }
            items.push(self.object()?);
        }
    }

    fn dict(&mut self) -> Result<Object> {
        self.position += 2;
        let mut dict = Dict::for_members(8);
        loop {
            self.skip_white();
            match self.peek() {
                Some(b'>') if self.rest().starts_with(b">>") => {
                    self.position += 2;
                    return Ok(Object::Dict(dict));
                }
                Some(b'/') => {
                    let name = self.name();
                    let value = self.object()?;
                    dict.push(name, value);
                }
                _ => return Err(self.damaged("a dictionary is not closed")),
            }
        }
    }

    fn name(&mut self) -> Name {
        self.position += 1;
        let name = Name::from_slice(&tokens::name(self.token()));
        self.syntax.beyond_limits |= name.len() > 127;
        name
    }

    fn string(&mut self) -> Result<PdfString> {
        let what = match self.peek() {
            Some(b'<') => "a hexadecimal string is not closed",
            _ => "a string is not closed",
        };
        let mut tokens = Tokens::new(self.rest());
        let token = tokens.next();
        self.position += tokens.at();
        let Some(Token::Text(text)) = token else {
            return Err(self.damaged(what));
        };
        let (odd, wrong) = text.wrong_hexadecimal();
        self.syntax.odd_hexadecimal |= odd;
        self.syntax.wrong_hexadecimal |= wrong;
        let bytes = text.decode(&mut Vec::new()).to_vec();
        self.syntax.beyond_limits |= bytes.len() > 32_767;
        Ok(PdfString {
            bytes,
            hexadecimal: matches!(text, StringToken::Hexadecimal(_)),
        })
    }

    fn number(&mut self) -> Result<Object> {
        let start = self.position;
        let token = self.token();
        let text = std::str::from_utf8(token).ok();
        let Some(text) = text.filter(|_| token.iter().all(|byte| is(*byte, NUMERIC))) else {
            self.position = start;
            return Err(self.damaged("a number was expected"));
        };
        if let Ok(value) = text.parse::<i64>() {
            self.syntax.beyond_limits |= i32::try_from(value).is_err();
            return Ok(Object::Integer(value));
        }
        // Old writers put out things like `0.-12` and `--5`; readers take them for what they can.
        let value = text.parse::<f64>();
        self.syntax.beyond_limits |= !value.is_ok_and(|value| value.abs() <= 3.403e38);
        Ok(Object::Real(SmolStr::new(text)))
    }

    fn number_or_reference(&mut self) -> Result<Object> {
        let start = self.position;
        if let Some(id) = self.reference() {
            return Ok(Object::Reference(id));
        }
        self.position = start;
        self.number()
    }

    fn reference(&mut self) -> Option<ObjectId> {
        let number = self.unsigned()?;
        self.white_between()?;
        let generation = self.unsigned()?;
        self.white_between()?;
        self.take_keyword(b"R")
            .then_some(ObjectId { number, generation })
    }

    fn white_between(&mut self) -> Option<()> {
        let start = self.position;
        while self.peek().is_some_and(is_white) {
            self.position += 1;
        }
        (self.position > start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Object> {
        Lexer::new(text.as_bytes(), 0, &Limits::DEFAULT).object()
    }

    #[test]
    fn every_kind_of_object_is_read() {
        let dict =
            read("<</A 1/B[ 2 0 R 3 -4.50 true null]/C#20D(a\\(b\\051\\n(c))/E<4 1 42>>>").unwrap();
        let dict = dict.as_dict().unwrap();
        assert_eq!(dict.integer("A"), Some(1));
        let items = dict.get("B").unwrap().as_array().unwrap();
        assert_eq!(items[0].as_reference(), Some(ObjectId::new(2)));
        assert_eq!(
            items[1..],
            [
                Object::Integer(3),
                Object::Real("-4.50".into()),
                Object::Bool(true),
                Object::Null
            ]
        );
        assert_eq!(
            dict.get("C D").unwrap().as_string(),
            Some(&b"a(b)\n(c)"[..])
        );
        assert_eq!(dict.get("E").unwrap().as_string(), Some(&b"AB"[..]));
    }

    #[test]
    fn what_is_not_closed_or_too_deep_is_refused() {
        for text in ["<</A 1", "(a", "[1 2", "<41", "nul", "", "<</A>>"] {
            assert!(
                matches!(read(text), Err(PdfError::Damaged { .. })),
                "{text}"
            );
        }
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        assert!(matches!(read(&deep), Err(PdfError::TooLarge { .. })));
        let deep = format!("{}{}", "[".repeat(64), "]".repeat(64));
        assert!(read(&deep).is_ok());
    }

    // clause: 6.1.6
    #[test]
    fn strings_against_pdf_a_are_noted() {
        let mut lexer = Lexer::new(b"<414>", 0, &Limits::DEFAULT);
        assert_eq!(lexer.object().unwrap().as_string(), Some(&b"A@"[..]));
        assert!(lexer.syntax.odd_hexadecimal && !lexer.syntax.wrong_hexadecimal);
        let mut lexer = Lexer::new(b"<41x4>", 0, &Limits::DEFAULT);
        assert!(lexer.object().is_ok() && lexer.syntax.wrong_hexadecimal);
    }
}
