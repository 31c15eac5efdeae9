//! Delivery properties of file formats.

/// Media type of delivered texts (interface: `GET /www/artikelmediadaten/{IDKey}`).
pub const TEXT_TYPE: &str = "text/plain; charset=UTF-8";

/// Delivery properties of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileType {
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// Whether browsers may display it; unknown formats are only downloaded.
    pub inline: bool,
    /// Whether it can contain scripts, which must then be blocked.
    pub active: bool,
}

/// Formats that browsers display.
const SHOWN: &str = include_str!("../../../data/formats.tsv");

const SVG: &str = "image/svg+xml";

// rule: R-END-80
/// Delivery properties of a format. Case, a leading dot and `image/` are ignored; an unknown format is delivered as
/// `application/octet-stream` for download.
pub fn file_type(format: &str) -> FileType {
    let lower = format.trim().to_ascii_lowercase();
    let name = lower.strip_prefix("image/").unwrap_or(&lower);
    let name = name.trim_start_matches('.');
    let mut shown = SHOWN.lines().filter_map(|row| row.split_once('\t'));
    match shown.find(|(known, _)| *known == name) {
        Some((_, media_type)) => FileType {
            media_type,
            inline: true,
            active: media_type == SVG,
        },
        None => FileType {
            media_type: "application/octet-stream",
            inline: false,
            active: false,
        },
    }
}

/// The lower-case extension of a file name, if it has one.
pub fn extension(file_name: &str) -> Option<String> {
    let (stem, ending) = file_name.rsplit_once('.')?;
    let is_ending = !stem.is_empty()
        && (1..=12).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_ending.then(|| ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-END-80
    #[test]
    fn formats_are_known_in_any_spelling() {
        for (format, media_type) in [
            ("png", "image/png"),
            ("PNG", "image/png"),
            (".Jpg", "image/jpeg"),
            ("image/jpeg", "image/jpeg"),
            ("JPEG ", "image/jpeg"),
            ("tif", "image/tiff"),
            ("pdf", "application/pdf"),
        ] {
            let found = file_type(format);
            assert_eq!((found.media_type, found.inline), (media_type, true));
            assert!(!found.active, "{format}");
        }
        assert!(file_type("SVG").active);
    }

    // rule: R-END-80
    #[test]
    fn what_is_not_known_is_only_saved() {
        for format in ["", "html", "svgz", "exe", "text/html", "image/html", "xml"] {
            let found = file_type(format);
            assert_eq!(found.media_type, "application/octet-stream", "{format}");
            assert!(!found.inline && !found.active, "{format}");
        }
    }

    #[test]
    fn the_ending_of_a_name_is_its_format() {
        for (name, format) in [
            ("a.PNG", Some("png")),
            ("a.tar.gz", Some("gz")),
            ("a", None),
            (".png", None),
            ("a.", None),
            ("a.b c", None),
            ("a.größe", None),
            ("a.1234567890123", None),
        ] {
            assert_eq!(extension(name).as_deref(), format, "{name}");
        }
    }
}
