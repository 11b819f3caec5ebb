//! Charts as SVG: bars with published ranges, lines over the number of threads, and areas over time.
//!
//! A chart repeats the information of each colour by a name, a number or a marker, for readers who do not see colours.

mod areas;
mod bars;
mod legend;
mod lines;
mod spec;

use std::io;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(crate) use areas::{Areas, Layer};
pub(crate) use bars::{Bar, BarPanel, Bars, Scale};
pub(crate) use lines::{Line, LinePanel, Lines, Look, Series};
pub(crate) use spec::Chart;

use crate::failure::Failure;
use legend::Entry;

/// A part of the page, in pixels.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of drawing.
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

const FONT: &str = "sans-serif";
/// The colour of axes and words.
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// The colour of the lines behind the data.
const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
/// The colour of published ranges and reference lines.
const REFERENCE: RGBColor = RGBColor(0x55, 0x55, 0x55);

/// Colours that colour-blind readers can distinguish (Okabe and Ito, *Color universal design*, 2008), and two more colours for charts with
/// many lines. The authors' yellow is left out, because it is hardly visible on white.
const COLOURS: [RGBColor; 9] = [
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x8C, 0x51, 0x0A),
    RGBColor(0x88, 0x88, 0x88),
];

const WIDTH: u32 = 1400;
const TITLE_HEIGHT: u32 = 44;
const NOTE_HEIGHT: u32 = 20;

/// The parts of a page around the panels.
struct Page<'a> {
    title: &'a str,
    /// The lines of text under the title.
    notes: &'a [String],
    panels: usize,
    /// The number of panels side by side.
    columns: usize,
    panel_height: u32,
    legend: &'a [Entry],
}

impl Page<'_> {
    /// Returns the page as SVG: title, notes, the panels, the legend. `panel` draws the panel with a given index.
    fn draw(
        &self,
        mut panel: impl for<'a> FnMut(usize, &Area<'a>) -> Drawn,
    ) -> Result<String, Failure> {
        let columns = self.panels.clamp(1, self.columns.max(1));
        let rows = self.panels.div_ceil(columns);
        let head = TITLE_HEIGHT + NOTE_HEIGHT * self.notes.len() as u32;
        let body = self.panel_height * rows as u32;
        let foot = legend::height(self.legend, WIDTH);
        let mut svg = String::new();
        let drawn = (|| {
            let root =
                SVGBackend::with_string(&mut svg, (WIDTH, head + body + foot)).into_drawing_area();
            root.fill(&WHITE)?;
            text(&root, self.title, (16, 12), 24.0, (HPos::Left, VPos::Top))?;
            for (index, note) in self.notes.iter().enumerate() {
                let y = (TITLE_HEIGHT + NOTE_HEIGHT * index as u32) as i32;
                text(&root, note, (16, y), 15.0, (HPos::Left, VPos::Top))?;
            }
            let (_, below) = root.split_vertically(head);
            let (panels, legend) = below.split_vertically(body);
            for (index, area) in panels
                .split_evenly((rows, columns))
                .iter()
                .take(self.panels)
                .enumerate()
            {
                panel(index, area)?;
            }
            legend::draw(&legend, self.legend)?;
            root.present()
        })();
        drawn
            .map_err(|error| Failure::Request(format!("cannot draw '{}': {error}", self.title)))?;
        Ok(svg)
    }
}

/// Writes `words` at a position in pixels.
fn text(area: &Area<'_>, words: &str, at: (i32, i32), size: f64, (h, v): (HPos, VPos)) -> Drawn {
    let style = (FONT, size).into_font().color(&INK).pos(Pos::new(h, v));
    area.draw(&Text::new(words.to_owned(), at, style))
}

/// Returns the end of an axis from 0, a little above the greatest of `values`.
fn axis_end(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    if most > 0.0 { most * 1.1 } else { 1.0 }
}

/// Returns the exponents of two powers of 10, which are the ends of an axis. The two powers enclose all of `values` that are above 0.
fn axis_decades(values: impl Iterator<Item = f64>) -> [i32; 2] {
    let values = values.filter(|value| value.is_finite() && *value > 0.0);
    let ends = values.fold(None, |ends: Option<[f64; 2]>, value| {
        let [least, most] = ends.unwrap_or([value; 2]);
        Some([least.min(value), most.max(value)])
    });
    let [least, most] = ends.unwrap_or([1.0; 2]);
    let from = least.log10().floor() as i32;
    [from, (most.log10().ceil() as i32).max(from + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a page. Panics if the page is not well-formed, or if a number on the page is infinite
    /// or outside of the page.
    pub(super) fn page(svg: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "svg");
        let size = |name| root.attribute(name).unwrap().parse::<f64>().unwrap();
        let (width, height) = (size("width"), size("height"));
        for node in document.descendants().filter(|node| node.is_element()) {
            for attribute in node.attributes() {
                let most = match attribute.name() {
                    "x" | "x1" | "x2" | "cx" | "width" => width,
                    "y" | "y1" | "y2" | "cy" | "height" => height,
                    "points" => width.max(height),
                    _ => continue,
                };
                for number in attribute
                    .value()
                    .split([' ', ','])
                    .filter(|word| !word.is_empty())
                {
                    let number: f64 = number.parse().unwrap();
                    assert!((0.0..=most).contains(&number), "{attribute:?} of {node:?}");
                }
            }
        }
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
        texts
            .map(|node| node.text().unwrap_or_default().trim().to_owned())
            .collect()
    }

    /// Returns the number of elements of this name on a page.
    pub(super) fn elements(svg: &str, name: &str) -> usize {
        let document = roxmltree::Document::parse(svg).unwrap();
        document
            .descendants()
            .filter(|node| node.tag_name().name() == name)
            .count()
    }

    #[test]
    fn decades_hold_all_values() {
        assert_eq!(axis_decades([0.5, 30.0].into_iter()), [-1, 2]);
        assert_eq!(axis_decades([0.0, f64::NAN, 7.0].into_iter()), [0, 1]);
        assert_eq!(axis_decades([10.0].into_iter()), [1, 2]);
        assert_eq!(axis_decades([].into_iter()), [0, 1]);
    }

    #[test]
    fn axes_have_an_end_whatever_the_values() {
        assert_eq!(axis_end([].into_iter()), 1.0);
        assert_eq!(axis_end([f64::NAN, f64::INFINITY, 0.0].into_iter()), 1.0);
        assert_eq!(axis_end([2.0, f64::NAN, 1.0].into_iter()), 2.2);
    }
}
