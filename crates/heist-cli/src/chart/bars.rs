//! Charts of horizontal bars with names and numbers, and with published values and ranges.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use serde::{Deserialize, Serialize};

use super::legend::{self, Entry, Swatch};
use super::{Area, COLOURS, Drawn, FONT, GRID, INK, Page, axis_decades, axis_end, text};
use crate::failure::Failure;

const BAR: u32 = 26;
/// The width of the space for names, on the left.
const NAMES: i32 = 200;
/// The width of the space for numbers, on the right.
const NUMBERS: i32 = 160;
/// The height of a panel's note.
const NOTE: u32 = 20;

/// A chart of bars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// The quantity that the bars measure, with the unit.
    pub(crate) axis: String,
    pub(crate) scale: Scale,
    /// The names of the groups of bars, by colour.
    pub(crate) groups: Vec<String>,
    /// The text that explains the dashed lines in the legend.
    pub(crate) reference: String,
    /// The text that explains the bands (published ranges) in the legend.
    pub(crate) band: String,
    pub(crate) panels: Vec<BarPanel>,
}

/// The scale that turns values into lengths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scale {
    /// A linear axis from 0. The end of the axis may differ between panels.
    Linear {
        /// The maximum end of the axes. Longer bars are cut off at this value, so that readers can distinguish short bars.
        limit: f64,
    },
    /// A logarithmic axis between two powers of ten. All panels have the same logarithmic axis. Values that are not above 0 have no bars.
    Logarithmic,
}

impl Scale {
    /// Returns the position of a value on the axis.
    fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear { .. } => value,
            // The axis is a linear axis of exponents, because the logarithmic axis of plotters would round
            // 0.1 up and omit its label.
            Scale::Logarithmic => value.log10(),
        }
    }

    /// Returns the label of the position `at` on the axis.
    fn label(self, at: f64) -> String {
        let decimals = (-at).max(0.0) as usize;
        match self {
            Scale::Linear { .. } => format!("{at:.1}"),
            Scale::Logarithmic if at.fract() == 0.0 => format!("{:.decimals$}", 10_f64.powf(at)),
            Scale::Logarithmic => String::new(),
        }
    }
}

/// A panel: one set of axes with its bars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BarPanel {
    pub(crate) title: String,
    /// The line under the title, or an empty string.
    pub(crate) note: String,
    /// The value at which the dashed line crosses the axis.
    pub(crate) reference: Option<f64>,
    pub(crate) bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// The index of the group to which the bar belongs.
    pub(crate) group: usize,
    /// The length of the bar, or `None` if no bar is drawn. If no bar is drawn, the text `number` gives the reason.
    pub(crate) value: Option<f64>,
    /// The text next to the bar.
    pub(crate) number: String,
    /// The published range.
    pub(crate) band: Option<[f64; 2]>,
    /// The least and the greatest sample of the bar's value.
    pub(crate) spread: Option<[f64; 2]>,
}

impl Bars {
    /// Returns the chart as SVG.
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        let bars = || self.panels.iter().flat_map(|panel| &panel.bars);
        let mut legend: Vec<Entry> = self
            .groups
            .iter()
            .enumerate()
            .filter(|&(group, _)| bars().any(|bar| bar.group == group))
            .map(|(group, label)| Entry {
                label: label.clone(),
                swatch: Swatch::Bar(colour(group)),
            })
            .collect();
        if self.panels.iter().any(|panel| panel.reference.is_some()) {
            legend.push(Entry {
                label: self.reference.clone(),
                swatch: Swatch::Dashes,
            });
        }
        if bars().any(|bar| bar.band.is_some()) {
            legend.push(Entry {
                label: self.band.clone(),
                swatch: Swatch::Band,
            });
        }
        let most = self.panels.iter().map(|panel| panel.bars.len()).max();
        let page = Page {
            title: &self.title,
            notes: &self.notes,
            panels: self.panels.len(),
            columns: 2,
            panel_height: most.unwrap_or(0) as u32 * BAR + self.note_height() + 110,
            legend: &legend,
        };
        page.draw(|index, area| self.panel(&self.panels[index], area))
    }

    fn note_height(&self) -> u32 {
        let noted = self.panels.iter().any(|panel| !panel.note.is_empty());
        if noted { NOTE } else { 0 }
    }

    fn panel(&self, panel: &BarPanel, area: &Area<'_>) -> Drawn {
        let (start, end) = match self.scale {
            Scale::Linear { limit } => (0.0, axis_end(panel.values()).min(limit)),
            Scale::Logarithmic => {
                let [from, to] = axis_decades(self.panels.iter().flat_map(BarPanel::values));
                (from.into(), to.into())
            }
        };
        let labels = match self.scale {
            Scale::Linear { .. } => 7,
            Scale::Logarithmic => (end - start) as usize + 1,
        };
        let caption = (FONT, 19).into_font().color(&INK);
        let below = area
            .margin(16, 16, 16, 16 + NUMBERS)
            .titled(&panel.title, caption)?;
        let (strip, below) = below.split_vertically(self.note_height());
        let note = (HPos::Center, VPos::Top);
        let middle = strip.dim_in_pixel().0 as i32 / 2;
        text(&strip, &panel.note, (middle, 0), 14.0, note)?;
        let mut chart = ChartBuilder::on(&below)
            .y_label_area_size(NAMES)
            .x_label_area_size(44)
            .build_cartesian_2d(start..end, 0.0..panel.bars.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(labels)
            .x_max_light_lines(0)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_label_formatter(&|at| self.scale.label(*at))
            .x_desc(&self.axis)
            .label_style((FONT, 15).into_font().color(&INK))
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .draw()?;
        // The following code uses pixels of the whole page as coordinates, because names and numbers are outside of the axes.
        let page = area.use_screen_coord();
        let rows = panel.bars.len() as f64;
        let place = |at: f64, row: f64| chart.plotting_area().map_coordinate(&(at, rows - row));
        // `at` returns the position of a value on the axis, and `drawable` says whether that position is
        // on the page.
        let at = |value: f64| self.scale.place(value).min(end);
        let drawable = |value: &f64| value.is_finite() && self.scale.place(*value) >= start;
        for (row, bar) in panel.bars.iter().enumerate() {
            let row = row as f64;
            let (left, middle) = place(start, row + 0.5);
            let name = (left - 8, middle);
            text(&page, &bar.name, name, 16.0, (HPos::Right, VPos::Center))?;
            if let Some(value) = bar.value.filter(drawable) {
                let fill = colour(bar.group).filled();
                let corners = [place(start, row + 0.12), place(at(value), row + 0.88)];
                page.draw(&Rectangle::new(corners, fill))?;
                if self.scale.place(value) > end {
                    // This tip points in the direction in which the bar would continue.
                    let (x, _) = corners[1];
                    let tip = vec![(x, corners[0].1), (x + 9, middle), (x, corners[1].1)];
                    page.draw(&Polygon::new(tip, fill))?;
                }
            }
            if let Some([from, to]) = bar.band {
                legend::band(
                    &page,
                    [place(at(from), row + 0.04), place(at(to), row + 0.96)],
                )?;
            }
            if let Some([least, most]) = bar.spread.filter(|spread| spread.iter().all(drawable)) {
                legend::spread(
                    &page,
                    [place(at(least), row + 0.5), place(at(most), row + 0.5)],
                )?;
            }
            let number = (place(end, row).0 + 16, middle);
            text(&page, &bar.number, number, 15.0, (HPos::Left, VPos::Center))?;
        }
        match panel.reference.filter(drawable) {
            Some(value) => legend::dashes(&page, place(at(value), 0.0), place(at(value), rows)),
            None => Ok(()),
        }
    }
}

impl BarPanel {
    /// Returns the values that the axis must include.
    fn values(&self) -> impl Iterator<Item = f64> {
        let ranges = |bar: &Bar| bar.band.into_iter().chain(bar.spread).flatten();
        let bars = self
            .bars
            .iter()
            .flat_map(move |bar| bar.value.into_iter().chain(ranges(bar)));
        bars.chain(self.reference)
    }
}

fn colour(group: usize) -> RGBColor {
    COLOURS[group % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{elements, page};

    fn bar(name: &str, value: Option<f64>, band: Option<[f64; 2]>) -> Bar {
        Bar {
            name: name.to_owned(),
            group: 0,
            value,
            number: value.map_or("none".to_owned(), |value| format!("{value:.2}")),
            band,
            spread: None,
        }
    }

    fn chart(bars: Vec<Bar>) -> String {
        scaled(Scale::Linear { limit: 2.0 }, bars)
    }

    fn scaled(scale: Scale, bars: Vec<Bar>) -> String {
        let panels = vec![BarPanel {
            title: "a panel".to_owned(),
            note: "a word".to_owned(),
            reference: Some(1.0),
            bars,
        }];
        Bars {
            title: "a < b & \"c\"".to_owned(),
            notes: vec!["a note".to_owned()],
            axis: "time, ns".to_owned(),
            scale,
            groups: vec!["first".to_owned(), "nobody".to_owned()],
            reference: "the base".to_owned(),
            band: "published".to_owned(),
            panels,
        }
        .svg()
        .unwrap()
    }

    #[test]
    fn bars_have_names_numbers_bands_and_a_legend() {
        let svg = chart(vec![
            bar("one & only", Some(0.5), Some([0.2, 0.6])),
            bar("long", Some(50.0), None),
        ]);
        let words = page(&svg);
        for word in [
            "a < b & \"c\"",
            "a note",
            "a panel",
            "a word",
            "time, ns",
            "one & only",
            "0.50",
            "long",
            "50.00",
            "first",
            "the base",
            "published",
        ] {
            assert!(
                words.iter().any(|other| other == word),
                "no {word:?} in {words:?}"
            );
        }
        assert!(
            !words.iter().any(|word| word == "nobody"),
            "nobody is in that group"
        );
        assert_eq!(elements(&svg, "polygon"), 1, "the long bar is cut");
    }

    /// Returns the left and the right end of each filled rectangle in the colour of the first group. The legend's rectangle is left out.
    fn ends(svg: &str) -> Vec<[f64; 2]> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let filled = document.descendants().filter(|node| {
            node.tag_name().name() == "rect" && node.attribute("fill") == Some("#000000")
        });
        let ends = filled.map(|node| {
            let number = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
            [number("x"), number("x") + number("width")]
        });
        let mut ends: Vec<[f64; 2]> = ends.collect();
        ends.pop();
        ends
    }

    #[test]
    fn a_logarithmic_bar_grows_as_much_for_each_power_of_ten() {
        let svg = scaled(
            Scale::Logarithmic,
            [0.2, 2.0, 20.0, 200.0]
                .map(|value| bar("one", Some(value), None))
                .into(),
        );
        let words = page(&svg);
        for power in ["0.1", "1", "10", "100", "1000"] {
            assert!(words.iter().any(|word| word == power), "{words:?}");
        }
        let ends = ends(&svg);
        assert_eq!(ends.len(), 4);
        for pair in ends.windows(2) {
            assert_eq!(pair[0][0], pair[1][0], "all begin at one place");
            let growth = pair[1][1] - pair[0][1];
            let first = ends[1][1] - ends[0][1];
            assert!(growth > 20.0 && (growth - first).abs() <= 1.0, "{ends:?}");
        }
        assert_eq!(elements(&svg, "polygon"), 0, "no bar is cut");
    }

    #[test]
    fn logarithmic_bars_without_a_length_leave_their_place_empty() {
        let mut bars: Vec<Bar> = [0.0, -1.0, f64::NAN, f64::INFINITY]
            .map(|value| bar("odd", Some(value), None))
            .into();
        bars[0].spread = Some([0.0, 5.0]);
        bars.push(bar("absent", None, None));
        let svg = scaled(Scale::Logarithmic, bars);
        page(&svg);
        assert_eq!(ends(&svg).len(), 0);
        page(&scaled(Scale::Logarithmic, Vec::new()));
    }

    #[test]
    fn spreads_are_drawn_within_the_axes() {
        let lines = |spread| {
            let spread = Bar {
                spread,
                ..bar("one", Some(1.0), None)
            };
            // The axis of the long bar ends at its limit.
            let svg = chart(vec![spread, bar("long", Some(50.0), None)]);
            page(&svg);
            elements(&svg, "polyline") + elements(&svg, "line")
        };
        assert_eq!(lines(Some([0.5, 99.0])), lines(None) + 6);
        assert_eq!(lines(Some([0.5, f64::NAN])), lines(None));
    }

    #[test]
    fn missing_bars_leave_their_place_empty() {
        let svg = chart(vec![
            bar("absent", None, None),
            bar("strange", Some(f64::NAN), None),
            bar("endless", Some(f64::INFINITY), None),
        ]);
        let words = page(&svg);
        assert!(
            words.iter().any(|word| word == "absent") && words.iter().any(|word| word == "none")
        );
        assert!(
            !words.iter().any(|word| word == "published"),
            "there is no band"
        );
        page(&chart(Vec::new()));
    }
}
