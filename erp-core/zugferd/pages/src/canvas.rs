//! Marks on pages, and the PDF that they are written into.
//!
//! All lengths are micrometres, so that a letter can be laid out by the millimetres of its standard without fractions.

use super::font::{EM, Fonts};
use super::labels::title;
use super::{Error, Invoice};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use krilla::color::rgb;
use krilla::configure::{Archival, ConfigurationBuilder, ValidationError};
use krilla::error::KrillaError;
use krilla::geom::{Path, PathBuilder, Point, Rect, Size, Transform};
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{GlyphId, KrillaGlyph};
use krilla::{Document, SerializeSettings};

// The size of A4.
pub(crate) const WIDTH: i32 = mm(210);
pub(crate) const HEIGHT: i32 = mm(297);

/// Bytes of a logo: it is in every file.
const LOGO_BYTES: usize = 100_000;
/// Pixels of a logo in each direction, which its place has at 400 dpi; each is four bytes of memory.
const LOGO_PIXELS: u32 = 1_200;

pub(crate) const fn mm(millimetres: i32) -> i32 {
    millimetres * 1_000
}

/// Tenths of a point, the unit of sizes of letters.
pub(crate) const fn tenths(tenths: i32) -> i32 {
    tenths * 25_400 / 720
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Black,
    /// For what is less important.
    Grey,
    /// For titles.
    Blue,
    /// For lines between rows.
    Pale,
    /// For the background of what stands out.
    Shade,
    White,
}

impl Ink {
    fn colour(self) -> rgb::Color {
        match self {
            Self::Black => rgb::Color::black(),
            Self::Grey => rgb::Color::new(0x55, 0x5d, 0x68),
            Self::Blue => rgb::Color::new(0x1c, 0x3d, 0x63),
            Self::Pale => rgb::Color::new(0xcf, 0xd5, 0xdc),
            Self::Shade => rgb::Color::new(0xee, 0xf2, 0xf6),
            Self::White => rgb::Color::white(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) size: i32,
    pub(crate) ink: Ink,
}

impl Style {
    /// A size in tenths of a point.
    pub(crate) const fn new(size: i32, ink: Ink) -> Self {
        Self {
            bold: false,
            size: tenths(size),
            ink,
        }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The height of a line.
    pub(crate) const fn line(self) -> i32 {
        self.size * 5 / 4
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A line of text; `y` is its upper edge.
    Text {
        x: i32,
        y: i32,
        style: Style,
        text: String,
    },
    /// Rectangles of one colour, which touch without a seam.
    Boxes(Vec<Area>, Ink),
    Line {
        from: (i32, i32),
        to: (i32, i32),
        pen: Pen,
    },
    Logo(Area),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pen {
    pub(crate) width: i32,
    pub(crate) ink: Ink,
    pub(crate) dashed: bool,
}

impl Pen {
    pub(crate) const fn new(width: i32, ink: Ink) -> Self {
        Self {
            width,
            ink,
            dashed: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// The picture of a logo, by its first bytes.
pub(crate) fn logo(bytes: &[u8]) -> Result<Image, Error> {
    if bytes.len() > LOGO_BYTES {
        let fault = format!("has {} bytes; {LOGO_BYTES} are allowed", bytes.len());
        return Err(Error::Logo(fault));
    }
    let data = || bytes.to_vec().into();
    let image = match bytes {
        [0x89, b'P', b'N', b'G', ..] => Image::from_png(data(), false),
        [0xff, 0xd8, ..] => Image::from_jpeg(data(), false),
        _ => Err("it is neither a PNG nor a JPEG".to_owned()),
    };
    let image = image.map_err(|fault| Error::Logo(format!("cannot be read: {fault}")))?;
    let (width, height) = image.size();
    if (1..=LOGO_PIXELS).contains(&width) && (1..=LOGO_PIXELS).contains(&height) {
        return Ok(image);
    }
    let fault = format!("has {width} × {height} pixels; {LOGO_PIXELS} each way are allowed");
    Err(Error::Logo(fault))
}

/// The pages as a PDF/A-3b.
pub(crate) fn render(
    invoice: &Invoice,
    fonts: &Fonts,
    logo: Option<&Image>,
    pages: &[Vec<Mark>],
) -> Result<Vec<u8>, Error> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A3_B)
        .finish()
        .map_err(|error| Error::Pdf(format!("{error:?}")))?;
    let mut document = Document::new_with(SerializeSettings {
        configuration,
        ..SerializeSettings::default()
    });
    document.set_metadata(metadata(invoice));
    let size = PageSettings::from_wh(points(WIDTH), points(HEIGHT)).unwrap_or_default();
    for marks in pages {
        let mut page = document.start_page_with(size.clone());
        let mut surface = page.surface();
        for mark in marks {
            draw(&mut surface, fonts, logo, mark);
        }
        surface.finish();
        page.finish();
    }
    document.finish().map_err(named)
}

/// A faulty logo is found when the file is written.
fn named(error: KrillaError) -> Error {
    let cmyk = |fault: &ValidationError| matches!(fault, ValidationError::MissingCMYKProfile);
    match error {
        KrillaError::Image(_, _, fault) => Error::Logo(format!("cannot be read: {fault}")),
        KrillaError::Validation(faults) if faults.iter().any(|(fault, _)| cmyk(fault)) => {
            Error::Logo("has the colours of print (CMYK); RGB or grey is expected".to_owned())
        }
        error => Error::Pdf(format!("{error}: {error:?}")),
    }
}

/// The creation date, which PDF/A requires: as given, or the start of the day of the invoice.
pub(crate) fn made(invoice: &Invoice) -> Timestamp {
    let day = || Some(invoice.date.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let stated = invoice.created.or_else(day);
    stated.unwrap_or(Timestamp::UNIX_EPOCH)
}

fn metadata(invoice: &Invoice) -> Metadata {
    let heading = title(invoice.kind, invoice.language);
    let metadata = Metadata::new()
        .title(format!("{heading} {}", invoice.number))
        .authors(vec![invoice.seller.party.name.clone()])
        .language(invoice.language.tag().to_owned())
        .producer("erp-invoice-pages".to_owned());
    let time = made(invoice).to_zoned(TimeZone::UTC).datetime();
    let small = |value: i8| u8::try_from(value).unwrap_or_default();
    metadata.creation_date(
        DateTime::new(u16::try_from(time.year()).unwrap_or_default())
            .month(small(time.month()))
            .day(small(time.day()))
            .hour(small(time.hour()))
            .minute(small(time.minute()))
            .second(small(time.second()))
            .utc_offset_hour(0)
            .utc_offset_minute(0),
    )
}

fn draw(surface: &mut Surface<'_>, fonts: &Fonts, logo: Option<&Image>, mark: &Mark) {
    match mark {
        Mark::Text { x, y, style, text } => {
            surface.set_stroke(None);
            surface.set_fill(Some(fill(style.ink)));
            let face = fonts.face(style.bold);
            // Nine tenths of the size are above the baseline.
            let start = Point::from_xy(points(*x), points(y + style.size * 9 / 10));
            let glyphs = text.char_indices().filter_map(|(at, character)| {
                let glyph = face.glyph(character)?;
                let (id, range) = (GlyphId::new(glyph.id.into()), at..at + character.len_utf8());
                let width = ems(glyph.width);
                Some(KrillaGlyph::new(id, width, 0.0, 0.0, 0.0, range, None))
            });
            let (glyphs, size) = (glyphs.collect::<Vec<_>>(), points(style.size));
            surface.draw_glyphs(start, &glyphs, face.font.clone(), text, size, false);
        }
        Mark::Boxes(areas, ink) => {
            surface.set_stroke(None);
            surface.set_fill(Some(fill(*ink)));
            if let Some(path) = boxes(areas) {
                surface.draw_path(&path);
            }
        }
        Mark::Line { from, to, pen } => {
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                paint: pen.ink.colour().into(),
                width: points(pen.width),
                dash: pen.dashed.then(|| StrokeDash {
                    array: vec![points(mm(1)), points(mm(1))],
                    offset: 0.0,
                }),
                ..Stroke::default()
            }));
            let mut path = PathBuilder::new();
            path.move_to(points(from.0), points(from.1));
            path.line_to(points(to.0), points(to.1));
            if let Some(path) = path.finish() {
                surface.draw_path(&path);
            }
        }
        Mark::Logo(area) => {
            let size = Size::from_wh(points(area.width), points(area.height));
            if let (Some(image), Some(size)) = (logo, size) {
                let place = Transform::from_translate(points(area.x), points(area.y));
                surface.push_transform(&place);
                surface.draw_image(image.clone(), size);
                surface.pop();
            }
        }
    }
}

fn fill(ink: Ink) -> Fill {
    Fill {
        paint: ink.colour().into(),
        ..Fill::default()
    }
}

fn boxes(areas: &[Area]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for area in areas {
        let rect = Rect::from_ltrb(
            points(area.x),
            points(area.y),
            points(area.x + area.width),
            points(area.y + area.height),
        )?;
        path.push_rect(rect);
    }
    path.finish()
}

#[expect(clippy::float_arithmetic, reason = "the writer of PDFs counts so")]
fn ems(units: u16) -> f32 {
    f32::from(units) / f32::from(EM)
}

#[expect(clippy::float_arithmetic, reason = "the writer of PDFs counts so")]
fn points(micrometres: i32) -> f32 {
    micrometres as f32 * 72.0 / 25_400.0
}
