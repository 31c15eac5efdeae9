//! Programs that read PDF files: poppler and qpdf. Where one is missing, tests are skipped, with `CI=true` they fail.

use erp_dev::skipped;
use std::path::PathBuf;
use std::process::Command;

/// A picture of a page: width, height, and red, green and blue of each pixel.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

/// Whether the programs are there.
pub(crate) fn are_installed() -> bool {
    for program in ["pdftotext", "pdftoppm", "qpdf"] {
        if Command::new(program).arg("-v").output().is_err() {
            skipped(&format!("`{program}` is missing; `tests/run` installs it"));
            return false;
        }
    }
    true
}

/// A file that goes away.
pub(crate) struct Kept(PathBuf);

impl Kept {
    pub(crate) fn new(pdf: &[u8], name: &str) -> Self {
        let file = format!("erp-invoice-pages-{}-{name}.pdf", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, pdf).unwrap();
        Self(path)
    }

    fn run(&self, program: &str, before: &[&str], after: &[&str]) -> Vec<u8> {
        let output = Command::new(program)
            .args(before)
            .arg(&self.0)
            .args(after)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {errors}");
        assert!(errors.is_empty(), "{program}: {errors}");
        output.stdout
    }

    /// The text of all pages.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.run("pdftotext", &["-layout"], &["-"])).unwrap()
    }

    /// `qpdf --check` finds nothing.
    pub(crate) fn check(&self) {
        self.run("qpdf", &["--check"], &[]);
    }

    /// A page as a picture.
    pub(crate) fn picture(&self, page: usize, resolution: usize) -> Picture {
        decoded(&self.drawn(page, resolution, "-png"))
    }

    /// A page as a file of a picture, of the kind that an option of `pdftoppm` names.
    pub(crate) fn drawn(&self, page: usize, resolution: usize, kind: &str) -> Vec<u8> {
        let (page, resolution) = (page.to_string(), resolution.to_string());
        let options = [kind, "-r", &resolution, "-f", &page, "-l", &page];
        self.run("pdftoppm", &options, &[])
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The bytes of a PNG file as a picture.
pub(crate) fn decoded(png: &[u8]) -> Picture {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    let pixels = match info.color_type {
        png::ColorType::Rgb => pixels,
        png::ColorType::Grayscale => pixels.iter().flat_map(|grey| [*grey; 3]).collect(),
        other => panic!("{other:?}"),
    };
    Picture {
        width: usize::try_from(info.width).unwrap(),
        height: usize::try_from(info.height).unwrap(),
        pixels,
    }
}

/// The bytes of a PNG file with a picture.
pub(crate) fn encoded(picture: &Picture) -> Vec<u8> {
    let mut png = Vec::new();
    let width = u32::try_from(picture.width).unwrap();
    let height = u32::try_from(picture.height).unwrap();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&picture.pixels).unwrap();
    writer.finish().unwrap();
    png
}
