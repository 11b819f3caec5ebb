//! Charts of areas that are stacked on each other, over time.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use serde::{Deserialize, Serialize};

use super::{Area, COLOURS, Drawn, FONT, GRID, INK, Page, REFERENCE, axis_end, text};
use crate::failure::Failure;

const HEIGHT: u32 = 460;
/// The height of a row of the list below the axes. Each row of the list has the name and the number
/// of an area.
const ROW: i32 = 24;
/// The x position at which the numbers in the rows end.
const NUMBERS: i32 = 160;
/// The x position at which the names in the rows begin.
const NAMES: i32 = 176;
/// The minimum height of an area in which the chart writes the area's index.
const TALL: i32 = 18;
/// The maximum number of characters of a name that fit next to the number.
const MOST_CHARACTERS: usize = 150;

/// A chart of areas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Areas {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// The labels of the axes, with units.
    pub(crate) x_axis: String,
    pub(crate) y_axis: String,
    /// The times of the values, in ascending order.
    pub(crate) times: Vec<f64>,
    /// The end of the x axis, which begins at 0.
    pub(crate) end: f64,
    /// The areas, from the lowest to the highest.
    pub(crate) layers: Vec<Layer>,
    /// The heights of a dashed line, one for each time.
    pub(crate) line: Vec<f64>,
    /// The text that explains the dashed line in the legend.
    pub(crate) line_name: String,
    /// The text that explains the numbers of all layers ([`Layer::number`]).
    pub(crate) number_name: String,
    /// The index in `times` of the marked time.
    pub(crate) peak: Option<usize>,
    /// The text at the mark.
    pub(crate) peak_name: String,
}

/// An area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layer {
    pub(crate) name: String,
    /// The number next to the layer's name in the list below the axes.
    pub(crate) number: String,
    /// The heights of the area, one for each time.
    pub(crate) values: Vec<f64>,
}

impl Areas {
    /// Returns the chart as SVG.
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        let rows = self.layers.len() as u32 + 2;
        let page = Page {
            title: &self.title,
            notes: &self.notes,
            panels: 1,
            columns: 1,
            panel_height: HEIGHT + rows * ROW as u32,
            legend: &[],
        };
        page.draw(|_, area| self.panel(area))
    }

    fn panel(&self, area: &Area<'_>) -> Drawn {
        let (above, below) = area.split_vertically(HEIGHT);
        // The heights at which areas begin and end.
        let mut edges = vec![vec![0.0; self.times.len()]];
        for layer in &self.layers {
            let lower = &edges[edges.len() - 1];
            let upper = lower.iter().zip(&layer.values);
            edges.push(upper.map(|(lower, value)| lower + value).collect());
        }
        let top = &edges[edges.len() - 1];
        let most = axis_end(top.iter().chain(&self.line).copied());
        let end = self
            .times
            .iter()
            .copied()
            .fold(self.end.max(1e-6), f64::max);
        let mut chart = ChartBuilder::on(&above)
            .margin(16)
            .margin_right(40)
            .y_label_area_size(70)
            .x_label_area_size(44)
            .build_cartesian_2d(0.0..end, 0.0..most)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(10)
            .y_labels(8)
            .y_max_light_lines(0)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_label_formatter(&|x| short(*x, end))
            .y_label_formatter(&|y| short(*y, most))
            .x_desc(&self.x_axis)
            .y_desc(&self.y_axis)
            .label_style((FONT, 15).into_font().color(&INK))
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .draw()?;
        // The following code uses pixels of the page as coordinates.
        let page = above.use_screen_coord();
        let place = |x: f64, y: f64| chart.plotting_area().map_coordinate(&(x, y));
        let points = |heights: &[f64]| -> Vec<(i32, i32)> {
            let times = self.times.iter().zip(heights);
            times.map(|(x, y)| place(*x, *y)).collect()
        };
        let mut numbers = Vec::new();
        for (index, pair) in edges.windows(2).enumerate() {
            let (lower, upper) = (points(&pair[0]), points(&pair[1]));
            let heights = lower.iter().zip(&upper).map(|(low, high)| low.1 - high.1);
            let heights: Vec<i32> = heights.collect();
            if let Some(at) = number_place(&heights) {
                numbers.push((index, (upper[at].0, upper[at].1 + heights[at] / 2)));
            }
            let outline: Vec<_> = upper
                .iter()
                .copied()
                .chain(lower.into_iter().rev())
                .collect();
            page.draw(&Polygon::new(outline, colour(index).filled()))?;
            // A white line separates neighbouring areas, so that readers who see no colours can distinguish them.
            page.draw(&PathElement::new(upper, WHITE.stroke_width(1)))?;
        }
        for (index, (x, y)) in numbers {
            page.draw(&Circle::new((x, y), 9, WHITE.filled()))?;
            let number = (index + 1).to_string();
            text(&page, &number, (x, y), 13.0, (HPos::Center, VPos::Center))?;
        }
        let line = points(&self.line);
        page.draw(&DashedPathElement::new(
            line,
            7,
            4,
            REFERENCE.stroke_width(2),
        ))?;
        if let Some(at) = self.peak {
            let (x, y) = place(self.times[at], top[at]);
            let (head, foot) = (place(0.0, most).1, place(0.0, 0.0).1);
            let mark = vec![(x, head), (x, foot)];
            page.draw(&PathElement::new(mark, INK.stroke_width(1)))?;
            page.draw(&Circle::new((x, y), 4, INK.filled()))?;
            let right = place(end, 0.0).0;
            let (x, side) = if x > right / 2 {
                (x - 8, HPos::Right)
            } else {
                (x + 8, HPos::Left)
            };
            text(&page, &self.peak_name, (x, head), 15.0, (side, VPos::Top))?;
        }
        self.names(&below)
    }

    /// Writes the names of the areas, from the highest to the lowest.
    fn names(&self, area: &Area<'_>) -> Drawn {
        let left = (HPos::Left, VPos::Center);
        let right = (HPos::Right, VPos::Center);
        text(area, &self.number_name, (NUMBERS, ROW / 2), 14.0, right)?;
        for (row, (index, layer)) in self.layers.iter().enumerate().rev().enumerate() {
            let y = (row as i32 + 1) * ROW + ROW / 2;
            let corners = [(16, y - 8), (44, y + 8)];
            area.draw(&Rectangle::new(corners, colour(index).filled()))?;
            text(area, &(index + 1).to_string(), (68, y), 14.0, right)?;
            text(area, &layer.number, (NUMBERS, y), 15.0, right)?;
            text(area, &cut(&layer.name), (NAMES, y), 15.0, left)?;
        }
        let y = (self.layers.len() as i32 + 1) * ROW + ROW / 2;
        let line = DashedPathElement::new([(16, y), (44, y)], 7, 4, REFERENCE.stroke_width(2));
        area.draw(&line)?;
        text(area, &self.line_name, (NAMES, y), 15.0, left)
    }
}

/// Returns the index of the time at which the chart writes an area's index into the area. At the returned time, the area has at least nine
/// tenths of its greatest height. Returns `None` if the area is too low for the text.
fn number_place(heights: &[i32]) -> Option<usize> {
    let most = heights.iter().copied().max().filter(|most| *most >= TALL)?;
    let high = |at: &usize| 10 * heights[*at] >= 9 * most;
    let places: Vec<usize> = (0..heights.len()).filter(high).collect();
    places.get(places.len() / 2).copied()
}

/// Returns a name, shortened so that it fits into a row.
fn cut(name: &str) -> String {
    match name.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("{}..", &name[..at]),
        None => name.to_owned(),
    }
}

/// Returns the colour of an area. No area has the first of [`COLOURS`], which is black. When all other colours are used, the colours repeat
/// in a lighter shade.
fn colour(index: usize) -> RGBColor {
    let few = COLOURS.len() - 1;
    let RGBColor(r, g, b) = COLOURS[1 + index % few];
    match index / few % 2 {
        0 => RGBColor(r, g, b),
        _ => {
            let lighter = |part: u8| u8::MAX - (u8::MAX - part) / 2;
            RGBColor(lighter(r), lighter(g), lighter(b))
        }
    }
}

/// Returns the label of the value `at` on an axis from 0 to `most`.
fn short(at: f64, most: f64) -> String {
    let decimals = (1.0 - most.log10().floor()).clamp(0.0, 7.0) as usize;
    format!("{at:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{elements, page};

    fn areas(layers: usize, times: usize) -> Areas {
        Areas {
            title: "a < chart".to_owned(),
            notes: vec!["a note".to_owned()],
            x_axis: "time, s".to_owned(),
            y_axis: "live, MiB".to_owned(),
            times: (0..times).map(|at| at as f64 / 10.0).collect(),
            end: times as f64 / 10.0,
            layers: (0..layers)
                .map(|layer| Layer {
                    name: format!("a.sml:{layer}:1: int list & \"more\""),
                    number: format!("{layer}.5 MiB"),
                    values: (0..times).map(|at| ((layer + 1) * at) as f64).collect(),
                })
                .collect(),
            line: (0..times).map(|at| 1000.0 + at as f64).collect(),
            line_name: "memory".to_owned(),
            number_name: "live at the peak".to_owned(),
            peak: times.checked_sub(1),
            peak_name: "peak: 7 MiB".to_owned(),
        }
    }

    #[test]
    fn areas_have_names_numbers_axes_and_a_peak() {
        let svg = areas(3, 20).svg().unwrap();
        let words = page(&svg);
        for word in [
            "a < chart",
            "a note",
            "time, s",
            "live, MiB",
            "a.sml:2:1: int list & \"more\"",
            "2.5 MiB",
            "memory",
            "live at the peak",
            "peak: 7 MiB",
            "0.0",
            "2.0",
        ] {
            assert!(
                words.iter().any(|it| it == word),
                "no {word:?} in {words:?}"
            );
        }
        assert_eq!(elements(&svg, "polygon"), 3);
    }

    #[test]
    fn any_numbers_of_layers_and_times_are_drawn() {
        for (layers, times) in [(0, 0), (0, 3), (1, 0), (1, 1), (13, 2), (13, 400)] {
            page(&areas(layers, times).svg().unwrap());
        }
    }

    #[test]
    fn layers_have_different_colours() {
        let all: std::collections::HashSet<_> =
            (0..13).map(|at| format!("{:?}", colour(at))).collect();
        assert_eq!(all.len(), 13);
    }

    #[test]
    fn numbers_stand_where_areas_are_high() {
        assert_eq!(number_place(&[0, 5, 30, 29, 28, 30, 2]), Some(4));
        assert_eq!(number_place(&[5, 6, 7]), None);
        assert_eq!(number_place(&[]), None);
    }

    #[test]
    fn labels_are_short_and_different() {
        assert_eq!(short(0.02, 0.1), "0.02");
        assert_eq!(short(2.5, 24.0), "2");
        assert_eq!(short(2.5, 9.0), "2.5");
    }
}
