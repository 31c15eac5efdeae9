//! Numbers as spreadsheets write them, with marks between the thousands and before the decimals.

/// Which mark stands before the decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Comma,
    Point,
}

impl Form {
    pub const NAMES: [&'static str; 2] = ["excel-de", "excel-ch"];

    pub fn parse(name: &str) -> Option<Self> {
        let mut forms = Self::NAMES.into_iter().zip([Self::Comma, Self::Point]);
        forms
            .find(|(known, _)| *known == name)
            .map(|(_, form)| form)
    }

    const fn of(mark: char) -> Self {
        if mark == ',' {
            Self::Comma
        } else {
            Self::Point
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Comma => Self::Point,
            Self::Point => Self::Comma,
        }
    }
}

/// Marks between thousands; the blanks do not break a line.
const GROUPS: [char; 7] = ['.', ',', '\'', '’', ' ', '\u{a0}', '\u{202f}'];

/// What a field can mean, as digits with a point before the decimals.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// One number, and the form that it shows.
    Sure(String, Option<Form>),
    /// A mark that stands before the decimals in this form, and else between the thousands.
    Unsure {
        form: Form,
        decimal: String,
        whole: String,
    },
}

impl Written {
    pub(super) fn read(field: &str) -> Option<Self> {
        let digits = field.trim_start_matches('-');
        let sign = field.strip_suffix(digits).filter(|sign| sign.len() < 2)?;
        let signed = |number: String| format!("{sign}{number}");
        let Some(at) = digits.rfind(['.', ',']) else {
            return whole(digits).map(|number| Self::Sure(signed(number), None));
        };
        let (head, tail) = digits.split_at(at);
        let mark = tail.chars().next()?;
        let (form, tail) = (Form::of(mark), tail.get(1..)?);
        if head.contains(mark) {
            let number = whole(digits)?;
            return Some(Self::Sure(signed(number), Some(form.other())));
        }
        let before = whole(head)?;
        if tail.is_empty() || !is_plain(tail) {
            return None;
        }
        let decimal = signed(format!("{before}.{tail}"));
        let may_group = tail.len() == 3 && head.len() < 4 && !head.starts_with('0');
        if !may_group || !is_plain(head) {
            return Some(Self::Sure(decimal, Some(form)));
        }
        let whole = signed(format!("{before}{tail}"));
        Some(Self::Unsure {
            form,
            decimal,
            whole,
        })
    }

    /// The form that it shows by itself.
    pub(super) const fn form(&self) -> Option<Form> {
        match self {
            Self::Sure(_, form) => *form,
            Self::Unsure { .. } => None,
        }
    }
}

fn is_plain(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number, with or without one kind of mark between its thousands.
fn whole(digits: &str) -> Option<String> {
    let Some(mark) = digits.chars().find(|digit| GROUPS.contains(digit)) else {
        return (is_plain(digits) && !digits.is_empty()).then(|| digits.to_owned());
    };
    let mut groups = digits.split(mark);
    let first = groups.next()?;
    let is_grouped = (1..4).contains(&first.len()) && groups.all(|group| group.len() == 3);
    let joined: String = digits.split(mark).collect();
    (is_grouped && is_plain(&joined)).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-IMP-11
    #[test]
    fn numbers_are_read_with_their_marks() {
        let sure = |field: &str| match Written::read(field) {
            Some(Written::Sure(number, form)) => (number, form),
            other => panic!("{field}: {other:?}"),
        };
        for (field, number, form) in [
            ("12", "12", None),
            ("-7", "-7", None),
            ("12,50", "12.50", Some(Form::Comma)),
            ("-0,125", "-0.125", Some(Form::Comma)),
            ("12.5", "12.5", Some(Form::Point)),
            ("1.250,00", "1250.00", Some(Form::Comma)),
            ("1'250.00", "1250.00", Some(Form::Point)),
            ("1’250.000", "1250.000", Some(Form::Point)),
            ("1 250,00", "1250.00", Some(Form::Comma)),
            ("1\u{202f}250\u{202f}000", "1250000", None),
            ("1.250.000", "1250000", Some(Form::Comma)),
            ("1,250,000.5", "1250000.5", Some(Form::Point)),
            ("1250,125", "1250.125", Some(Form::Comma)),
            ("1.2345", "1.2345", Some(Form::Point)),
        ] {
            assert_eq!(sure(field), (number.to_owned(), form), "{field}");
        }
    }

    // rule: D-IMP-11
    #[test]
    fn three_digits_behind_one_mark_can_be_both() {
        for (field, form) in [("1.250", Form::Point), ("-1,250", Form::Comma)] {
            let sign = if field.starts_with('-') { "-" } else { "" };
            let unsure = Written::Unsure {
                form,
                decimal: format!("{sign}1.250"),
                whole: format!("{sign}1250"),
            };
            assert_eq!(Written::read(field), Some(unsure));
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for field in [
            "x", "-", "--1", "12,", ",5", "1.25.000", "1'25", "12.5,0.1", "1,2,3", "1.250.00",
            "5 %", "1 2",
        ] {
            assert_eq!(Written::read(field), None, "{field}");
        }
    }
}
