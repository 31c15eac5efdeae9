//! The tokens of objects and content streams (ISO 32000-1, 7.2 and 7.3), without a copy of any of them.

pub use super::kinds::is_white;
use super::kinds::{DELIMITER, MARK, NUMERIC, OTHER, WHITE, before, is};
use std::borrow::Cow;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Digits, signs and points.
    Number(&'a [u8]),
    /// A name without its slash, as it is written.
    Name(&'a [u8]),
    /// A string.
    Text(StringToken<'a>),
    /// The end of an array or a dictionary.
    End,
    /// The start of one.
    Start,
    /// Anything else: an operator, `true`, `false` or `null`.
    Word(&'a [u8]),
    /// A byte that starts no token, or a string without an end.
    Broken,
}

/// A string as it is written, without what encloses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringToken<'a> {
    /// Without escapes and carriage returns: its bytes are its value.
    Plain(&'a [u8]),
    /// With escapes.
    Escaped(&'a [u8]),
    /// Hexadecimal digits.
    Hexadecimal(&'a [u8]),
}

/// Reads tokens one after the other.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    data: &'a [u8],
    /// What was not read yet.
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// Reads from the start.
    pub const fn new(data: &'a [u8]) -> Self {
        Self { data, rest: data }
    }

    /// Offset of the next byte to read.
    pub const fn at(&self) -> usize {
        self.data.len().saturating_sub(self.rest.len())
    }

    /// Goes on reading at another place.
    pub fn seek(&mut self, at: usize) {
        self.rest = self.data.get(at..).unwrap_or_default();
    }

    #[inline]
    fn take(&mut self, count: usize) -> &'a [u8] {
        let split = self.rest.split_at_checked(count);
        let (taken, rest) = split.unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }

    /// Takes the bytes before the next of these kinds.
    #[inline]
    fn until(&mut self, kinds: u8) -> &'a [u8] {
        self.take(before(self.rest, kinds))
    }

    /// A number where only its characters follow, else a word.
    #[inline]
    fn number_or_word(&mut self) -> Token<'a> {
        let digits = before(self.rest, WHITE | DELIMITER | OTHER);
        let end = self.rest.get(digits);
        if digits > 0 && end.is_none_or(|byte| !is(*byte, OTHER)) {
            return Token::Number(self.take(digits));
        }
        Token::Word(self.until(WHITE | DELIMITER))
    }

    /// A string in parentheses; the first one is read.
    #[inline]
    fn literal(&mut self) -> Token<'a> {
        let plain = before(self.rest, MARK);
        if self.rest.get(plain) == Some(&b')') {
            let text = self.take(plain);
            self.take(1);
            return Token::Text(StringToken::Plain(text));
        }
        self.marked_literal(plain)
    }

    /// As [`Tokens::literal`], of a string that has escapes, carriage returns or parentheses from a place on.
    fn marked_literal(&mut self, from: usize) -> Token<'a> {
        let (mut open, mut plain, mut at) = (1_usize, true, from);
        while let Some(byte) = self.rest.get(at) {
            match byte {
                b'\\' => {
                    plain = false;
                    at += 1;
                }
                b'\r' => plain = false,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                let raw = self.take(at);
                self.take(1);
                return Token::Text(if plain {
                    StringToken::Plain(raw)
                } else {
                    StringToken::Escaped(raw)
                });
            }
            at += 1;
        }
        self.rest = &[];
        Token::Broken
    }

    /// A string of hexadecimal digits; its `<` is read.
    fn hexadecimal(&mut self) -> Token<'a> {
        let Some(end) = memchr::memchr(b'>', self.rest) else {
            self.rest = &[];
            return Token::Broken;
        };
        let digits = self.take(end);
        self.take(1);
        Token::Text(StringToken::Hexadecimal(digits))
    }

    /// The token that starts with a delimiter, which is already read; `None` for a comment.
    fn delimited(&mut self, first: u8) -> Option<Token<'a>> {
        let doubled = self.rest.first() == Some(&first);
        Some(match first {
            b'/' => Token::Name(self.until(WHITE | DELIMITER)),
            b'(' => self.literal(),
            b'<' | b'>' if doubled => {
                self.take(1);
                if first == b'<' {
                    Token::Start
                } else {
                    Token::End
                }
            }
            b'<' => self.hexadecimal(),
            b'[' => Token::Start,
            b']' => Token::End,
            b'%' => {
                let end = memchr::memchr2(b'\n', b'\r', self.rest);
                self.take(end.unwrap_or(self.rest.len()));
                return None;
            }
            _ => Token::Broken,
        })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (byte, after) = self.rest.split_first()?;
            if is(*byte, NUMERIC | OTHER) {
                return Some(self.number_or_word());
            }
            self.rest = after;
            if is(*byte, DELIMITER)
                && let Some(token) = self.delimited(*byte)
            {
                return Some(token);
            }
        }
    }
}

/// A name with its `#xx` resolved.
pub fn name(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&b'#') {
        return Cow::Borrowed(raw);
    }
    let mut name = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((byte, after)) = rest.split_first() {
        let resolved = match rest {
            [b'#', high, low, tail @ ..] => {
                let digits = digit(*high).zip(digit(*low));
                digits.map(|(high, low)| (high << 4 | low, tail))
            }
            _ => None,
        };
        let (value, after) = resolved.unwrap_or((*byte, after));
        name.push(value);
        rest = after;
    }
    Cow::Owned(name)
}

impl StringToken<'_> {
    /// Puts its value into `bytes`, unless that is what is written.
    #[inline]
    pub fn decode<'b>(&'b self, bytes: &'b mut Vec<u8>) -> &'b [u8] {
        bytes.clear();
        match self {
            Self::Plain(raw) => return raw,
            Self::Escaped(raw) => unescape(raw, bytes),
            Self::Hexadecimal(raw) => {
                let mut half = None;
                for value in raw.iter().filter_map(|byte| digit(*byte)) {
                    match half.take() {
                        Some(high) => bytes.push(high << 4 | value),
                        None => half = Some(value),
                    }
                }
                bytes.extend(half.map(|high: u8| high << 4));
            }
        }
        bytes
    }

    /// Whether hexadecimal digits are odd in number, and whether others than digits are among them (6.1.6).
    pub fn wrong_hexadecimal(&self) -> (bool, bool) {
        let Self::Hexadecimal(raw) = self else {
            return (false, false);
        };
        let digits = raw.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        let known = |byte: &u8| byte.is_ascii_hexdigit() || is_white(*byte);
        (digits % 2 == 1, !raw.iter().all(known))
    }

    /// Whether it may be longer than the limit of 6.1.13.
    pub const fn is_long(&self) -> bool {
        let (Self::Plain(raw) | Self::Escaped(raw) | Self::Hexadecimal(raw)) = self;
        raw.len() > 32_767
    }
}

/// Resolves the escapes of a string (ISO 32000-1, 7.3.4.2).
fn unescape(raw: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some((byte, after)) = rest.split_first() {
        rest = match byte {
            b'\\' => escape(after, bytes),
            b'\r' => {
                bytes.push(b'\n');
                after.strip_prefix(b"\n").unwrap_or(after)
            }
            other => {
                bytes.push(*other);
                after
            }
        };
    }
}

fn escape<'a>(rest: &'a [u8], bytes: &mut Vec<u8>) -> &'a [u8] {
    let Some((byte, after)) = rest.split_first() else {
        return rest;
    };
    match byte {
        b'n' => bytes.push(b'\n'),
        b'r' => bytes.push(b'\r'),
        b't' => bytes.push(b'\t'),
        b'b' => bytes.push(8),
        b'f' => bytes.push(12),
        b'\r' => return after.strip_prefix(b"\n").unwrap_or(after),
        b'\n' => {}
        b'0'..=b'7' => {
            let digits = rest.iter().take(3);
            let digits = digits.take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (digits, after) = rest.split_at_checked(digits.count()).unwrap_or_default();
            let digits = digits.iter().map(|digit| u16::from(digit - b'0'));
            let value = digits.fold(0, |value, digit| value * 8 + digit);
            bytes.push(value.to_le_bytes()[0]);
            return after;
        }
        other => bytes.push(*other),
    }
    after
}

pub(crate) fn digit(byte: u8) -> Option<u8> {
    u8::try_from(char::from(byte).to_digit(16)?).ok()
}

/// Whether a number is beyond the limits of 6.1.13.
#[inline]
pub fn is_beyond_limits(raw: &[u8]) -> bool {
    // Nothing shorter can be.
    raw.len() >= 10 && is_long_beyond_limits(raw)
}

fn is_long_beyond_limits(raw: &[u8]) -> bool {
    // Too large is only what has 39 digits, and too close to zero what has more.
    if raw.len() < 39 && raw.contains(&b'.') {
        return false;
    }
    let Ok(text) = std::str::from_utf8(raw) else {
        return true;
    };
    if !raw.contains(&b'.') {
        return text.parse::<i32>().is_err();
    }
    text.parse::<f64>()
        .is_ok_and(|value| value.abs() > 3.403e38 || value != 0.0 && value.abs() < 1.175e-38)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &[u8]) -> Vec<u8> {
        let Some(Token::Text(text)) = Tokens::new(raw).next() else {
            panic!("no string")
        };
        text.decode(&mut Vec::new()).to_vec()
    }

    #[test]
    fn every_kind_of_token_is_found() {
        let tokens: Vec<_> = Tokens::new(b"1 -.5/A#20B[(a(b)c)]<</K<41>>>q%x\nTj'f*)").collect();
        let strings = [
            StringToken::Plain(b"a(b)c"),
            StringToken::Hexadecimal(b"41"),
        ]
        .map(Token::Text);
        assert_eq!(
            tokens,
            [
                Token::Number(b"1"),
                Token::Number(b"-.5"),
                Token::Name(b"A#20B"),
                Token::Start,
                strings[0],
                Token::End,
                Token::Start,
                Token::Name(b"K"),
                strings[1],
                Token::End,
                Token::Word(b"q"),
                Token::Word(b"Tj'f*"),
                Token::Broken
            ]
        );
        assert_eq!(*name(b"A#20B#x"), *b"A B#x");
    }

    #[test]
    fn strings_are_decoded() {
        assert_eq!(text(b"(a\\)\\053\\\r\nb\r\nc)"), b"a)+b\nc");
        assert_eq!(text(b"<41 4>"), b"A@");
        assert_eq!(Tokens::new(b"(a").next(), Some(Token::Broken));
        let wrong = |digits| StringToken::Hexadecimal(digits).wrong_hexadecimal();
        assert_eq!(wrong(b"414"), (true, false));
        assert_eq!(wrong(b"4x1"), (false, true));
        assert_eq!(wrong(b"4 1"), (false, false));
    }

    // clause: 6.1.13
    #[test]
    fn numbers_have_limits() {
        let tiny = format!("0.{}1", "0".repeat(40));
        for beyond in [
            "2147483648",
            "-2147483649",
            tiny.as_str(),
            &format!("4{}.0", "0".repeat(38)),
        ] {
            assert!(is_beyond_limits(beyond.as_bytes()), "{beyond}");
        }
        for within in ["2147483647", "-2147483648", "0000000.000", "123456789.123"] {
            assert!(!is_beyond_limits(within.as_bytes()), "{within}");
        }
    }
}
