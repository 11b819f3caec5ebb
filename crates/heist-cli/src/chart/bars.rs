//! Bars that lie, each with its name and its number, beside published ranges.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::legend::{self, Entry, Swatch};
use super::{Area, COLOURS, Drawn, FONT, GRID, INK, Page, axis_end, text};
use crate::failure::Failure;

const BAR: u32 = 26;
/// Room for names on the left, and for a number right of the longest bar.
const NAMES: i32 = 170;
const NUMBERS: i32 = 130;

/// A chart of bars.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) notes: &'a [String],
    /// What the bars measure, with the unit.
    pub(crate) axis: &'a str,
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
        let end = axis_end(values.chain([self.reference.0]));
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
            let mut right = left;
            if let Some(value) = bar.value.filter(|value| value.is_finite()) {
                let (from, to) = (place(0.0, row + 0.12), place(value, row + 0.88));
                right = to.0;
                page.draw(&Rectangle::new([from, to], colour(bar.group).filled()))?;
            }
            if let Some([from, to]) = bar.band {
                let corners = [place(from, row + 0.04), place(to, row + 0.96)];
                right = right.max(corners[1].0);
                legend::band(&page, corners)?;
            }
            let at = (right + 6, middle);
            text(&page, &bar.number, at, 15.0, (HPos::Left, VPos::Center))?;
        }
        let value = self.reference.0;
        legend::dashes(&page, place(value, 0.0), place(value, rows))
    }
}

fn colour(group: usize) -> RGBColor {
    COLOURS[group % COLOURS.len()]
}
