//! The characters of XML 1.0 (fifth edition).

/// White space (production 3).
pub(super) const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// The first character that XML does not allow (production 2), by its byte offset.
pub(super) fn find_illegal(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without an early end the compiler looks at many bytes together.
    let controls = bytes.iter().map(|byte| is_control(*byte));
    let has_control = controls.fold(false, |has, is| has | is);
    let may_have_noncharacter = memchr::memmem::find(bytes, b"\xEF\xBF").is_some();
    if !has_control && !may_have_noncharacter {
        return None;
    }
    let (at, _) = text
        .char_indices()
        .find(|(_, letter)| !is_allowed(*letter))?;
    Some(at)
}

/// Whether a character may be written, also as a reference.
pub(super) const fn is_allowed(letter: char) -> bool {
    !matches!(letter, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// The first character of a name, without the colon (production 4).
pub(super) const fn starts_name(letter: char) -> bool {
    matches!(letter,
        'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// A further character of a name, without the colon (production 4a).
pub(super) const fn continues_name(letter: char) -> bool {
    starts_name(letter)
        || matches!(letter,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

pub(super) fn split(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// Whether a text is a name without a colon.
pub fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(starts_name) && letters.all(continues_name)
}
