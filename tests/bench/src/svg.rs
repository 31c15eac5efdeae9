//! Draws a growth curve as a small SVG.

use std::fmt::Write as _;

const WIDTH: u64 = 480;
const HEIGHT: u64 = 240;
/// Space around the curve for title and labels.
const MARGIN: u64 = 48;

/// A value in tenths, as text.
pub(crate) fn tenths(value: u64) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// A curve through points `(size, value in tenths)`. The points are equally spaced, because each size is ten times the
/// one before.
pub(crate) fn curve(title: &str, points: &[(u64, u64)]) -> String {
    let most = points.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let steps = (points.len() as u64).saturating_sub(1).max(1);
    let place = |(at, (_, value)): (u64, &(u64, u64))| {
        let x = MARGIN + at * (WIDTH - 2 * MARGIN) / steps;
        let height = value * (HEIGHT - 2 * MARGIN) / most.max(1);
        (x, HEIGHT - MARGIN - height)
    };
    let places: Vec<(u64, u64)> = (0_u64..).zip(points).map(place).collect();
    let line: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let (bottom, right) = (HEIGHT - MARGIN, WIDTH - MARGIN);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<text x="{MARGIN}" y="20" font-size="14">{title}</text>
<path d="M{MARGIN} {bottom}H{right}" stroke="#888" fill="none"/>
<polyline points="{}" stroke="#1040c0" stroke-width="2" fill="none"/>
"##,
        line.join(" ")
    );
    for ((x, y), (size, value)) in places.iter().zip(points) {
        let (above, below) = (y.saturating_sub(8), bottom + 16);
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            svg,
            r##"<circle cx="{x}" cy="{y}" r="3" fill="#1040c0"/><text x="{x}" y="{above}" text-anchor="middle">{}</text><text x="{x}" y="{below}" text-anchor="middle" fill="#555">{size}</text>"##,
            tenths(*value)
        );
    }
    svg.push_str("</svg>\n");
    svg
}
