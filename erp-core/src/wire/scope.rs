//! How and where values are read, and what is noted there.

use jiff::tz::TimeZone;

use super::table::Field;
use crate::values::codes::Language;
use crate::values::json::Json;
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;
use crate::values::text::{Text, TextError};

// rule: D-REQ-04
/// How a body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Refuse members no table lists (setting `strict_bodies`).
    pub strict: bool,
}

/// Where a value is read, and what is noted there.
pub struct Scope<'a> {
    /// How bodies are read.
    pub how: Reading,
    /// The language of texts without one.
    pub language: Language,
    /// The time zone of dates without a time.
    pub zone: &'a TimeZone,
    /// The place of the value.
    pub path: &'a Path<'a>,
    /// What is wrong so far.
    pub problems: &'a mut Problems,
}

impl<'a> Scope<'a> {
    /// A whole body or row.
    pub fn new(how: Reading, path: &'a Path<'a>, problems: &'a mut Problems) -> Self {
        const UTC: &TimeZone = &TimeZone::UTC;
        Self {
            how,
            language: Language::GERMAN,
            zone: UTC,
            path,
            problems,
        }
    }

    /// The same at another place.
    pub fn at<'p>(&'p mut self, path: &'p Path<'p>) -> Scope<'p> {
        Scope {
            how: self.how,
            language: self.language,
            zone: self.zone,
            path,
            problems: self.problems,
        }
    }

    /// Notes a problem of the value. `None`, because the value cannot be read.
    pub fn refuse<T>(&mut self, code: Code, message: impl Into<Sentence>) -> Option<T> {
        self.problems.add(self.path, code, message);
        None
    }

    pub(crate) fn refuse_member<T>(
        &mut self,
        name: &str,
        code: Code,
        message: impl Into<Sentence>,
    ) -> Option<T> {
        self.at(&self.path.member(name)).refuse(code, message)
    }

    /// Notes why a text does not fit.
    pub(crate) fn refuse_text<T>(&mut self, error: TextError) -> Option<T> {
        self.problems.refuse_text(self.path, error);
        None
    }

    /// A text that fits its member.
    pub(crate) fn fitting<const MAX: usize>(
        &mut self,
        name: &str,
        text: &str,
    ) -> Option<Text<MAX>> {
        let refuse = |error| self.at(&self.path.member(name)).refuse_text(error);
        Text::new(text).map_or_else(refuse, Some)
    }

    /// Notes that a required member is missing, unless it is there but unreadable.
    pub(crate) fn required<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.problems.missing(&self.path.member(name));
        }
        value
    }

    /// Notes that one of two members is required, unless one is there but unreadable.
    pub(crate) fn one_of(&mut self, names: [&str; 2], is_given: bool) {
        let [first, second] = names.map(|name| self.path.member(name));
        if !is_given && !self.problems.covers(&first) && !self.problems.covers(&second) {
            let message = sentence!("required.either", first = names[0], second = names[1]);
            self.problems.add(&first, Code::Required, message);
        }
    }
}

pub(crate) fn wrong_type<T>(found: &Json, wanted: Sentence, scope: &mut Scope<'_>) -> Option<T> {
    let found = match found {
        Json::Null => sentence!("type.null"),
        Json::Bool(_) => sentence!("type.bool"),
        Json::Number(_) => sentence!("type.number"),
        Json::String(_) => sentence!("type.string"),
        Json::Array(_) => sentence!("type.list"),
        Json::Object(_) => sentence!("type.object"),
    };
    scope.refuse(Code::WrongType, sentence!("wrong_type", wanted, found))
}

/// The entries of a list, unless there are too many.
pub(crate) fn entries<'j>(
    value: &'j Json,
    field: &Field,
    scope: &mut Scope<'_>,
) -> Option<&'j [Json]> {
    let Json::Array(entries) = value else {
        return wrong_type(value, sentence!("type.list"), scope);
    };
    let (count, most) = (entries.len(), field.most);
    if count > most {
        let message = sentence!("too_many", count, most);
        let limit = most as u64;
        scope
            .problems
            .add_limit(scope.path, Code::TooMany, limit, message);
        return None;
    }
    Some(entries)
}
