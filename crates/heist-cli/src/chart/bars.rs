//! Bars that lie, each with its name and its number, beside published ranges.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::legend::{self, Entry, Swatch};
use super::{Area, COLOURS, Drawn, FONT, GRID, INK, Page, axis_end, text};
use crate::failure::Failure;

const BAR: u32 = 26;
/// Room for names on the left, and for numbers on the right.
const NAMES: i32 = 200;
const NUMBERS: i32 = 160;

/// A chart of bars.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) notes: &'a [String],
    /// What the bars measure, with the unit.
    pub(crate) axis: &'a str,
    /// Where the axes end at the latest: longer bars are cut there, so that the short ones can be told apart.
    pub(crate) axis_limit: f64,
    /// What the groups of bars are, by colour.
    pub(crate) groups: &'a [&'a str],
    /// Where the dashed line stands and what it says.
    pub(crate) reference: (f64, &'a str),
    /// What the bands say.
    pub(crate) band: &'a str,
    pub(crate) panels: &'a [BarPanel<'a>],
}

/// One set of axes.
pub(crate) struct BarPanel<'a> {
    pub(crate) title: &'a str,
    pub(crate) bars: Vec<Bar<'a>>,
}

/// One bar.
pub(crate) struct Bar<'a> {
    pub(crate) name: &'a str,
    /// Which of the groups it belongs to.
    pub(crate) group: usize,
    /// Its length; without one there is no bar, and the number says so.
    pub(crate) value: Option<f64>,
    /// The number beside it.
    pub(crate) number: String,
    /// The published range.
    pub(crate) band: Option<[f64; 2]>,
}

impl Bars<'_> {
    /// The chart as SVG.
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        let bars = || self.panels.iter().flat_map(|panel| &panel.bars);
        let mut legend: Vec<Entry> = self
            .groups
            .iter()
            .enumerate()
            .filter(|&(group, _)| bars().any(|bar| bar.group == group))
            .map(|(group, label)| Entry {
                label: (*label).to_owned(),
                swatch: Swatch::Bar(colour(group)),
            })
            .collect();
        legend.push(Entry {
            label: self.reference.1.to_owned(),
            swatch: Swatch::Dashes,
        });
        if bars().any(|bar| bar.band.is_some()) {
            legend.push(Entry {
                label: self.band.to_owned(),
                swatch: Swatch::Band,
            });
        }
        let most = self.panels.iter().map(|panel| panel.bars.len()).max();
        let page = Page {
            title: self.title,
            notes: self.notes,
            panels: self.panels.len(),
            panel_height: most.unwrap_or(0) as u32 * BAR + 110,
            legend: &legend,
        };
        page.draw(|index, area| self.panel(&self.panels[index], area))
    }

    fn panel(&self, panel: &BarPanel<'_>, area: &Area<'_>) -> Drawn {
        let values = panel.bars.iter().flat_map(|bar| {
            let band = bar.band.map_or(0.0, |[_, to]| to);
            [bar.value.unwrap_or(0.0), band]
        });
        let end = axis_end(values.chain([self.reference.0])).min(self.axis_limit);
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .margin_right(16 + NUMBERS)
            .caption(panel.title, (FONT, 19).into_font().color(&INK))
            .y_label_area_size(NAMES)
            .x_label_area_size(44)
            .build_cartesian_2d(0.0..end, 0.0..panel.bars.len() as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(7)
            .x_max_light_lines(0)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_label_formatter(&|value| format!("{value:.1}"))
            .x_desc(self.axis)
            .label_style((FONT, 15).into_font().color(&INK))
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .draw()?;
        // From here on in pixels of the whole page, where names and numbers are drawn too.
        let page = area.use_screen_coord();
        let rows = panel.bars.len() as f64;
        let place =
            |value: f64, row: f64| chart.plotting_area().map_coordinate(&(value, rows - row));
        for (row, bar) in panel.bars.iter().enumerate() {
            let row = row as f64;
            let (left, middle) = place(0.0, row + 0.5);
            let at = (left - 8, middle);
            text(&page, bar.name, at, 16.0, (HPos::Right, VPos::Center))?;
            if let Some(value) = bar.value.filter(|value| value.is_finite()) {
                let fill = colour(bar.group).filled();
                let corners = [place(0.0, row + 0.12), place(value.min(end), row + 0.88)];
                page.draw(&Rectangle::new(corners, fill))?;
                if value > end {
                    // A tip that points to where the bar would go on.
                    let (x, _) = corners[1];
                    let tip = vec![(x, corners[0].1), (x + 9, middle), (x, corners[1].1)];
                    page.draw(&Polygon::new(tip, fill))?;
                }
            }
            if let Some([from, to]) = bar.band {
                let to = to.min(end);
                legend::band(&page, [place(from, row + 0.04), place(to, row + 0.96)])?;
            }
            let at = (place(end, row).0 + 16, middle);
            text(&page, &bar.number, at, 15.0, (HPos::Left, VPos::Center))?;
        }
        let value = self.reference.0;
        legend::dashes(&page, place(value, 0.0), place(value, rows))
    }
}

fn colour(group: usize) -> RGBColor {
    COLOURS[group % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{elements, page};

    fn bar(name: &str, value: Option<f64>, band: Option<[f64; 2]>) -> Bar<'_> {
        Bar {
            name,
            group: 0,
            value,
            number: value.map_or("none".to_owned(), |value| format!("{value:.2}")),
            band,
        }
    }

    fn chart(bars: Vec<Bar<'_>>) -> String {
        let panels = [BarPanel {
            title: "a panel",
            bars,
        }];
        Bars {
            title: "a < b & \"c\"",
            notes: &["a note".to_owned()],
            axis: "time, ns",
            axis_limit: 2.0,
            groups: &["first", "nobody"],
            reference: (1.0, "the base"),
            band: "published",
            panels: &panels,
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
