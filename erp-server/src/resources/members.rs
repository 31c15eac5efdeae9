//! Reads the fields of request bodies of the administration and collects all problems with their paths.

use erp_core::json::{Json, Object};
use erp_core::sentence::Sentence;
use erp_core::{Code, Problem, Problems};

use crate::web::Result;

/// Fields of a body, and the problems found so far.
#[derive(Debug)]
pub(super) struct Members<'a> {
    members: Option<&'a Object>,
    problems: Problems,
}

impl<'a> Members<'a> {
    /// Wraps a body; anything but an object is recorded as a problem.
    pub(super) fn of(body: &'a Json) -> Self {
        let mut members = Self {
            members: body.as_object(),
            problems: Problems::new(),
        };
        if members.members.is_none() {
            members.refuse("", Code::WrongType, sentence!("wrong_type.object"));
        }
        members
    }

    pub(super) fn refuse(&mut self, path: &str, code: Code, message: impl Into<Sentence>) {
        self.problems.push(Problem::new(path, code, message));
    }

    /// Value of a field; `None` when it is absent.
    pub(super) fn member(&self, name: &str) -> Option<&'a Json> {
        self.members?.get(name)
    }

    /// Whether the field is present, even as `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    /// Text of at most `most` characters in one line; `None` when it is absent, `null` or invalid.
    pub(super) fn text(&mut self, name: &str, most: usize) -> Option<&'a str> {
        self.checked(name, most, |c| !c.is_control())
    }

    /// The same in any number of lines.
    pub(super) fn lines(&mut self, name: &str, most: usize) -> Option<&'a str> {
        self.checked(name, most, |c| !c.is_control() || "\t\n\r".contains(c))
    }

    fn checked(
        &mut self,
        name: &str,
        most: usize,
        is_allowed: fn(char) -> bool,
    ) -> Option<&'a str> {
        let value = self.member(name).filter(|value| !value.is_null())?;
        let Some(text) = value.as_str() else {
            self.refuse(name, Code::WrongType, sentence!("wrong_type.text"));
            return None;
        };
        let length = text.chars().count();
        if length > most {
            let message = sentence!("too_long", length, limit = most);
            (self.problems).add_limit(name, Code::TooLong, most as u64, message);
            return None;
        }
        if !text.chars().all(is_allowed) {
            let message = sentence!("control_character.any");
            self.refuse(name, Code::ControlCharacter, message);
            return None;
        }
        Some(text)
    }

    pub(super) fn required(&mut self, name: &str, most: usize) -> Option<&'a str> {
        self.require(name);
        self.text(name, most)
    }

    /// Required list of 1 to `most` values.
    pub(super) fn list(&mut self, name: &str, most: usize) -> Option<&'a [Json]> {
        self.require(name);
        let value = self.member(name).filter(|value| !value.is_null())?;
        let Json::Array(values) = value else {
            self.refuse(name, Code::WrongType, sentence!("wrong_type.list"));
            return None;
        };
        if values.is_empty() {
            self.refuse(name, Code::Required, sentence!("required.one"));
            return None;
        }
        if values.len() > most {
            let message = sentence!("too_many", count = values.len(), most);
            (self.problems).add_limit(name, Code::TooMany, most as u64, message);
            return None;
        }
        Some(values)
    }

    /// Required `true` or `false`.
    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.require(name);
        let value = self.member(name).filter(|value| !value.is_null())?;
        if value.as_bool().is_none() {
            self.refuse(name, Code::WrongType, sentence!("wrong_type.flag"));
        }
        value.as_bool()
    }

    fn require(&mut self, name: &str) {
        if self.members.is_some() && self.member(name).is_none_or(Json::is_null) {
            self.refuse(name, Code::Required, sentence!("required"));
        }
    }

    /// Parses a text field; a parse error is recorded with `code`.
    pub(super) fn read<T, E: Into<Sentence>>(
        &mut self,
        name: &str,
        code: Code,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        match read(text?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(name, code, error);
                None
            }
        }
    }

    /// Returns `value` if there are no problems, otherwise 422 with the list.
    pub(super) fn done<T>(self, value: Option<T>) -> Result<T> {
        Ok(self.problems.or_else_value(value)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rule: D-ERR-04
    #[test]
    fn every_problem_is_reported_with_its_path() {
        let body = Json::from(
            json!({"number": 1, "long": "äöü", "control": "a\tb", "null": null, "wrong": "x", "on": true}),
        );
        let mut members = Members::of(&body);
        assert_eq!(members.text("absent", 3), None);
        assert_eq!(members.text("null", 3), None);
        assert_eq!(members.text("long", 3), Some("äöü"));
        assert!(members.has("null") && !members.has("absent"));
        assert_eq!(members.flag("on"), Some(true));
        assert!(members.problems.is_empty());
        let _ = members.text("number", 3);
        let _ = members.text("long", 2);
        let _ = members.text("control", 3);
        assert_eq!(members.lines("control", 3), Some("a\tb"));
        let _ = members.required("null", 3);
        assert_eq!(members.flag("wrong"), None);
        assert_eq!(members.flag("absent"), None);
        let wrong = members.text("wrong", 3);
        let read = |_: &str| Err::<(), _>(Sentence::Text("no such word".to_owned()));
        let _ = members.read("wrong", Code::UnknownValue, wrong, read);
        let found: Vec<(&str, Code, Option<u64>)> = members
            .problems
            .as_slice()
            .iter()
            .map(|problem| (problem.path.as_str(), problem.code, problem.limit))
            .collect();
        assert_eq!(
            found,
            [
                ("number", Code::WrongType, None),
                ("long", Code::TooLong, Some(2)),
                ("control", Code::ControlCharacter, None),
                ("null", Code::Required, None),
                ("wrong", Code::WrongType, None),
                ("absent", Code::Required, None),
                ("wrong", Code::UnknownValue, None),
            ]
        );
        assert!(members.done(Some(())).is_err());
    }

    #[test]
    fn a_body_that_is_no_object_is_refused_once() {
        for body in [json!([]), json!("x"), json!(null), json!(1)] {
            let read = Json::from(body.clone());
            let mut members = Members::of(&read);
            assert_eq!(members.required("name", 3), None);
            assert_eq!(members.flag("name"), None);
            assert_eq!(members.problems.len(), 1, "{body}");
            assert!(members.done(Some(())).is_err());
        }
    }
}
