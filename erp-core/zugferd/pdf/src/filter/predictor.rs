//! Differences to neighbours, which compress better than values (ISO 32000-1, 7.4.4.4).

use super::{undecodable, within};
use crate::{Dict, Result};
use std::cell::Cell;

#[derive(Debug, Clone, Copy)]
struct PredictorRow {
    columns: usize,
    colours: usize,
    bits: usize,
}

/// Values of differences, where parameters name a predictor.
pub(super) fn undo(bytes: Vec<u8>, parameters: Option<&Dict>, limit: usize) -> Result<Vec<u8>> {
    let Some(parameters) = parameters else {
        return Ok(bytes);
    };
    let number = |name, default| {
        let stated = parameters.integer(name).unwrap_or(default);
        usize::try_from(stated).unwrap_or(1).max(1)
    };
    let row = PredictorRow {
        columns: number("Columns", 1),
        colours: number("Colors", 1),
        bits: number("BitsPerComponent", 8),
    };
    match parameters.integer("Predictor").unwrap_or(1) {
        2 => row.undo_tiff(bytes),
        10..=15 => row.undo_png(&bytes, limit),
        _ => Ok(bytes),
    }
}

impl PredictorRow {
    fn bytes(self) -> Result<usize> {
        let samples = self.columns.checked_mul(self.colours);
        let bits = samples.and_then(|samples| samples.checked_mul(self.bits));
        bits.map(|bits| bits.div_ceil(8))
            .ok_or_else(|| undecodable("a row of a stream is too long"))
    }

    /// Each row starts with the number of its predictor.
    fn undo_png(self, bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
        let length = self.bytes()?;
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        within(length, limit)?;
        let broken = || undecodable("a row of a stream is broken");
        if bytes.len() <= length {
            return Err(broken());
        }
        let pixel = (self.colours * self.bits).div_ceil(8).min(length);
        let mut above = vec![0; length];
        let mut out = Vec::with_capacity(bytes.len());
        for row in bytes.chunks(length + 1) {
            let (kind, row) = row.split_first().ok_or_else(broken)?;
            let start = out.len();
            out.extend_from_slice(row);
            let current = out.get_mut(start..).filter(|row| row.len() == length);
            let current = current.ok_or_else(broken)?;
            undo_png_row(*kind, current, &above, pixel).ok_or_else(broken)?;
            above.copy_from_slice(current);
        }
        Ok(out)
    }

    /// Each sample is the difference to the one of the same colour on its left.
    fn undo_tiff(self, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let length = self.bytes()?;
        if !matches!(self.bits, 1 | 2 | 4 | 8 | 16) {
            return Err(undecodable(
                "samples of a stream have an odd number of bits",
            ));
        }
        for row in bytes.chunks_mut(length) {
            if self.bits == 8 {
                add_left(row, self.colours);
            } else {
                self.undo_tiff_row(row);
            }
        }
        Ok(bytes)
    }

    fn undo_tiff_row(self, row: &mut [u8]) {
        let samples = (self.columns * self.colours).min(row.len() * 8 / self.bits);
        for place in self.colours..samples {
            let left = self.sample(row, place - self.colours);
            let sum = self.sample(row, place).wrapping_add(left);
            self.put_sample(row, place, sum);
        }
    }

    fn sample(self, row: &[u8], place: usize) -> u16 {
        let byte = |at| row.get(at).copied().unwrap_or_default();
        if self.bits == 16 {
            return u16::from_be_bytes([byte(place * 2), byte(place * 2 + 1)]);
        }
        let first = place * self.bits;
        u16::from(byte(first / 8)) >> (8 - self.bits - first % 8)
    }

    fn put_sample(self, row: &mut [u8], place: usize, value: u16) {
        let [high, low] = value.to_be_bytes();
        let mut put = |at: usize, mask: u8, bits: u8| {
            if let Some(byte) = row.get_mut(at) {
                *byte = (*byte & !mask) | (bits & mask);
            }
        };
        if self.bits == 16 {
            put(place * 2, u8::MAX, high);
            put(place * 2 + 1, u8::MAX, low);
            return;
        }
        let first = place * self.bits;
        let shift = 8 - self.bits - first % 8;
        let mask = (u8::MAX >> (8 - self.bits)) << shift;
        put(first / 8, mask, low << shift);
    }
}

/// PNG, 9.2: differences to the left, above, their mean, or whichever is nearest to left + above - corner.
fn undo_png_row(kind: u8, row: &mut [u8], above: &[u8], pixel: usize) -> Option<()> {
    match kind {
        0 => {}
        1 => add_left(row, pixel),
        2 => {
            for (byte, above) in row.iter_mut().zip(above) {
                *byte = byte.wrapping_add(*above);
            }
        }
        3 => with_neighbours(row, above, pixel, |left, above, _| left.midpoint(above)),
        4 => with_neighbours(row, above, pixel, paeth),
        _ => return None,
    }
    Some(())
}

fn add_left(row: &mut [u8], distance: usize) {
    let whole = Cell::from_mut(row).as_slice_of_cells();
    for (left, byte) in whole.iter().zip(whole.iter().skip(distance)) {
        byte.set(byte.get().wrapping_add(left.get()));
    }
}

fn with_neighbours(
    row: &mut [u8],
    above: &[u8],
    pixel: usize,
    predicted: impl Fn(u8, u8, u8) -> u8,
) {
    let whole = Cell::from_mut(row).as_slice_of_cells();
    let (first, rest) = whole.split_at(pixel.min(whole.len()));
    for (byte, above) in first.iter().zip(above) {
        byte.set(byte.get().wrapping_add(predicted(0, *above, 0)));
    }
    let corners = above.iter().zip(above.iter().skip(pixel));
    for ((byte, left), (corner, above)) in rest.iter().zip(whole).zip(corners) {
        let predicted = predicted(left.get(), *above, *corner);
        byte.set(byte.get().wrapping_add(predicted));
    }
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(above) - i16::from(corner);
    let distance = |value: u8| estimate.abs_diff(i16::from(value));
    let (to_left, to_above, to_corner) = (distance(left), distance(above), distance(corner));
    if to_left <= to_above && to_left <= to_corner {
        left
    } else if to_above <= to_corner {
        above
    } else {
        corner
    }
}
