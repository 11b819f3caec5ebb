//! Draws the legend below the panels.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::lines::Look;
use super::{Area, Drawn, INK, REFERENCE, text};

const ROW: i32 = 26;
const SWATCH: i32 = 34;
const MARGIN: i32 = 16;

/// A line of the legend: a mark and its label.
pub(super) struct Entry {
    pub(super) label: String,
    pub(super) swatch: Swatch,
}

/// The mark next to the label of an entry.
pub(super) enum Swatch {
    Bar(RGBColor),
    Band,
    Dashes,
    Line(Look),
}

/// Returns the left edge and the row of each entry, and the number of rows.
fn layout(entries: &[Entry], width: u32) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut row) = (MARGIN, 0);
    let places = entries
        .iter()
        .map(|entry| {
            // The width of the words is an estimate, because the reader's program chooses the font.
            let wide = SWATCH + 24 + entry.label.chars().count() as i32 * 8;
            if x > MARGIN && x + wide > width as i32 {
                (x, row) = (MARGIN, row + 1);
            }
            let place = (x, row);
            x += wide;
            place
        })
        .collect();
    (places, row + 1)
}

pub(super) fn height(entries: &[Entry], width: u32) -> u32 {
    (layout(entries, width).1 * ROW + 16) as u32
}

pub(super) fn draw(area: &Area<'_>, entries: &[Entry]) -> Drawn {
    let (places, _) = layout(entries, area.dim_in_pixel().0);
    for (entry, (x, row)) in entries.iter().zip(places) {
        let y = row * ROW + ROW / 2;
        let (left, right) = ((x, y), (x + SWATCH - 8, y));
        match entry.swatch {
            Swatch::Bar(colour) => area.draw(&Rectangle::new(
                [(x, y - 7), (right.0, y + 7)],
                colour.filled(),
            ))?,
            Swatch::Band => band(area, [(x, y - 7), (right.0, y + 7)])?,
            Swatch::Dashes => dashes(area, left, right)?,
            Swatch::Line(look) => {
                look.line(area, &[left, right])?;
                look.marker(area, ((left.0 + right.0) / 2, y))?;
            }
        }
        text(
            area,
            &entry.label,
            (x + SWATCH, y),
            16.0,
            (HPos::Left, VPos::Center),
        )?;
    }
    Ok(())
}

/// Draws a published range as a tinted frame.
pub(super) fn band(area: &Area<'_>, corners: [(i32, i32); 2]) -> Drawn {
    area.draw(&Rectangle::new(corners, REFERENCE.mix(0.18).filled()))?;
    area.draw(&Rectangle::new(corners, REFERENCE.stroke_width(1)))
}

/// Draws the range from the smallest to the greatest sample, as a line with a tick at each end. The line has an outline, so that it is
/// visible on any bar.
pub(super) fn spread(area: &Area<'_>, [from, to]: [(i32, i32); 2]) -> Drawn {
    const END: i32 = 4;
    let ends = [from, to].map(|(x, y)| [(x, y - END), (x, y + END)]);
    for style in [WHITE.stroke_width(3), INK.stroke_width(1)] {
        for points in [[from, to], ends[0], ends[1]] {
            area.draw(&PathElement::new(points, style))?;
        }
    }
    Ok(())
}

/// Draws a dashed line, vertical or horizontal.
pub(super) fn dashes(area: &Area<'_>, from: (i32, i32), to: (i32, i32)) -> Drawn {
    let line = DashedPathElement::new([from, to], 6, 4, REFERENCE.stroke_width(2));
    area.draw(&line)
}
