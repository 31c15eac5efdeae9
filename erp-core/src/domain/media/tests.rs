//! Tests of media.

use super::*;

pub(crate) fn media(key: i32) -> Media {
    Media {
        key,
        article: Text::new("A-1").unwrap(),
        usage: None,
        language: None,
        country: None,
        group: None,
        file_name: None,
        comment: None,
        image: None,
        text: None,
        changed_at: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn image(format: &str) -> Image {
    Image {
        format: Text::new(format).unwrap(),
        hash: BodyHash::new([0xAB; 32]),
        length: 7,
    }
}

pub(crate) fn words(format: &str, text: &str) -> MediaText {
    MediaText {
        format: Text::new(format).unwrap(),
        text: Text::new(text).unwrap(),
    }
}

#[test]
fn a_hash_is_64_digits_in_any_case() {
    let text = format!("{}{}", "0123456789abcdef".repeat(3), "fedcba9876543210");
    let hash = BodyHash::parse(&text).unwrap();
    assert_eq!(hash.to_string(), text);
    assert_eq!(BodyHash::parse(&text.to_uppercase()), Ok(hash));
    let stored = serde_json::to_string(&hash).unwrap();
    assert_eq!(stored, format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<BodyHash>(&stored).unwrap(), hash);
    for wrong in [
        "",
        "ab",
        &"a".repeat(63),
        &format!("{text}00"),
        &format!("+{}", "a".repeat(63)),
        &"ä".repeat(32),
    ] {
        assert_eq!(BodyHash::parse(wrong), Err(NoHash), "{wrong}");
    }
}

// rule: D-MED-01
#[test]
fn a_part_without_a_name_is_named_by_its_key() {
    let mut media = media(7);
    media.image = Some(image("PNG"));
    media.text = Some(words("html", "x"));
    assert_eq!(media.name_of(Part::Image), "7.png");
    assert_eq!(media.name_of(Part::Text), "7.txt");
    media.file_name = Some(Text::new("Bild.vorn.png").unwrap());
    assert_eq!(media.name_of(Part::Image), "Bild.vorn.png");
    assert_eq!(media.name_of(Part::Text), "Bild.vorn.txt");
    media.image = None;
    assert_eq!(media.name_of(Part::Text), "Bild.vorn.png");
}
