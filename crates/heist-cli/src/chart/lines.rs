//! Charts of lines with markers, with one set of axes for each panel.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use super::legend::{self, Entry, Swatch};
use super::{Area, COLOURS, Drawn, FONT, GRID, INK, Page, axis_decades, axis_end};
use crate::failure::Failure;

const PANEL_HEIGHT: u32 = 380;

/// A chart of lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// The names and looks of the lines, the same in all panels.
    pub(crate) series: Vec<Series>,
    /// The text that explains the dashed grey lines in the legend.
    pub(crate) reference: String,
    /// The number of panels side by side.
    pub(crate) columns: usize,
    pub(crate) panels: Vec<LinePanel>,
}

/// The name and the look of one line, which are the same in all panels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) look: Look,
}

/// A panel: one set of axes with its lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinePanel {
    pub(crate) title: String,
    /// The labels of the axes, with units.
    pub(crate) x_axis: String,
    pub(crate) y_axis: String,
    /// Whether both axes are logarithmic. If so, the x axis has a label at each power of 2 from 1 on.
    pub(crate) logarithmic: bool,
    /// Whether the x axis is logarithmic, with a label at each power of 2 from 1 on, even if the y axis is linear.
    #[serde(default)]
    pub(crate) doubling: bool,
    /// The height of the dashed grey line.
    pub(crate) reference: Option<f64>,
    /// The lines, in the order of the series.
    pub(crate) lines: Vec<Line>,
}

/// One line, whose points are at ascending whole numbers on the x axis. A point without a value leaves a gap.
pub(crate) type Line = Vec<(usize, Option<f64>)>;

impl Lines {
    /// Returns lines with marks. The lines have different colours or marks.
    pub(crate) fn series<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Series> {
        let series = |(index, name): (usize, &str)| Series {
            name: name.to_owned(),
            look: Look::Marked(index),
        };
        names.into_iter().enumerate().map(series).collect()
    }

    /// Returns the chart as SVG.
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        let mut legend: Vec<Entry> = self
            .series
            .iter()
            .map(|series| Entry {
                label: series.name.clone(),
                swatch: Swatch::Line(series.look),
            })
            .collect();
        if self.panels.iter().any(|panel| panel.reference.is_some()) {
            legend.push(Entry {
                label: self.reference.clone(),
                swatch: Swatch::Dashes,
            });
        }
        let page = Page {
            title: &self.title,
            notes: &self.notes,
            panels: self.panels.len(),
            columns: self.columns,
            panel_height: PANEL_HEIGHT,
            legend: &legend,
        };
        page.draw(|index, area| panel(&self.panels[index], &self.series, area))
    }
}

fn panel(panel: &LinePanel, series: &[Series], area: &Area<'_>) -> Drawn {
    let logarithmic = panel.logarithmic;
    let doubling = logarithmic || panel.doubling;
    let place_x = |x: usize| {
        if doubling {
            (x.max(1) as f64).log2()
        } else {
            x as f64
        }
    };
    // A logarithmic axis has no position for a value that is not above 0.
    let place_y = |y: f64| {
        if logarithmic {
            (y > 0.0).then(|| y.log10())
        } else {
            Some(y)
        }
    };
    let points = || panel.lines.iter().flatten();
    let x_from = points().map(|&(x, _)| x).min().map_or(0.0, place_x);
    let x_to = points().map(|&(x, _)| x).max().map_or(0.0, place_x);
    let values = points().filter_map(|&(_, y)| y).chain(panel.reference);
    let [y_from, y_to] = if logarithmic {
        axis_decades(values).map(f64::from)
    } else {
        [0.0, axis_end(values)]
    };
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .caption(&panel.title, (FONT, 19).into_font().color(&INK))
        .y_label_area_size(58)
        .x_label_area_size(44)
        // The axis is a little longer than the range of the data, so that markers fit at both ends.
        .build_cartesian_2d(x_from - 0.25..x_to + 0.25, y_from..y_to)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels((x_to - x_from) as usize + 1)
        .y_max_light_lines(0)
        .bold_line_style(GRID)
        .axis_style(INK)
        // Positions between two whole numbers have no label.
        .x_label_formatter(&|x| {
            if x.fract() == 0.0 && doubling {
                format!("{:.0}", x.exp2())
            } else if x.fract() == 0.0 {
                format!("{x:.0}")
            } else {
                String::new()
            }
        })
        .y_label_formatter(&|y| {
            if logarithmic {
                if y.fract() == 0.0 {
                    format!("{}", 10_f64.powf(*y))
                } else {
                    String::new()
                }
            } else {
                label(*y, y_to)
            }
        })
        .x_desc(&panel.x_axis)
        .y_desc(&panel.y_axis)
        .label_style((FONT, 15).into_font().color(&INK))
        .axis_desc_style((FONT, 16).into_font().color(&INK))
        .draw()?;
    // The following code uses pixels of the page as coordinates.
    let page = area.use_screen_coord();
    let place = |x: f64, y: f64| chart.plotting_area().map_coordinate(&(x, y));
    if let Some(y) = panel.reference.and_then(place_y) {
        legend::dashes(&page, place(x_from - 0.25, y), place(x_to + 0.25, y))?;
    }
    for (line, Series { look, .. }) in panel.lines.iter().zip(series) {
        for part in line.split(|(_, y)| !y.and_then(place_y).is_some_and(f64::is_finite)) {
            let part: Vec<_> = part
                .iter()
                .filter_map(|&(x, y)| Some(place(place_x(x), place_y(y?)?)))
                .collect();
            look.line(&page, &part)?;
            for &at in &part {
                look.marker(&page, at)?;
            }
        }
    }
    Ok(())
}

/// Returns the label of the value `y` on a linear axis that ends at `most`. Labels are short, and different positions have different
/// labels.
fn label(y: f64, most: f64) -> String {
    match most {
        _ if y == 0.0 => "0".to_owned(),
        most if most >= 50.0 => format!("{y:.0}"),
        most if most >= 0.5 => format!("{y:.1}"),
        most if most >= 0.1 => format!("{y:.2}"),
        most if most >= 0.01 => format!("{y:.3}"),
        _ => format!("{y:.1e}").replace(".0e", "e"),
    }
}

/// The appearance of a line. The number in a variant selects a colour and a marker. Each number from 0 to 44 selects a different
/// combination of colour and marker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    /// A line with marks.
    Marked(usize),
    /// A dashed line without marks.
    Dashed(usize),
    /// Hollow marks without a line. The first field selects the colour of the marks, and the second field
    /// selects their shape.
    Hollow(usize, usize),
}

impl Look {
    fn colour(self) -> RGBColor {
        let (Look::Marked(index) | Look::Dashed(index) | Look::Hollow(index, _)) = self;
        COLOURS[index % COLOURS.len()]
    }

    pub(super) fn line(self, page: &Area<'_>, points: &[(i32, i32)]) -> Drawn {
        if points.len() < 2 {
            return Ok(());
        }
        let style = self.colour().stroke_width(2);
        match self {
            Look::Marked(_) => page.draw(&PathElement::new(points, style)),
            Look::Dashed(_) => {
                let points: Vec<_> = points.to_vec();
                page.draw(&DashedPathElement::new(points, 7, 4, style))
            }
            Look::Hollow(..) => Ok(()),
        }
    }

    pub(super) fn marker(self, page: &Area<'_>, (x, y): (i32, i32)) -> Drawn {
        const R: i32 = 5;
        /// The size of hollow marks. Hollow marks are larger than filled marks, so that readers see both kinds of marks at one place.
        const WIDE: i32 = 8;
        let (full, line) = (self.colour().filled(), self.colour().stroke_width(2));
        match self {
            Look::Marked(index) => match index % 5 {
                0 => page.draw(&Circle::new((x, y), R, full)),
                1 => page.draw(&Rectangle::new([(x - R, y - R), (x + R, y + R)], full)),
                2 => page.draw(&TriangleMarker::new((x, y), R + 2, full)),
                3 => page.draw(&Cross::new((x, y), R, line)),
                _ => page.draw(&Circle::new((x, y), R, line)),
            },
            Look::Dashed(_) => Ok(()),
            Look::Hollow(_, shape) => match shape % 3 {
                0 => {
                    let corners = [(x, y - WIDE), (x + WIDE, y), (x, y + WIDE), (x - WIDE, y)];
                    let around = corners.iter().chain(&corners[..1]).copied();
                    page.draw(&PathElement::new(around.collect::<Vec<_>>(), line))
                }
                1 => {
                    let (x0, y0, x1, y1) = (x - 6, y - 6, x + 6, y + 6);
                    let corners = vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)];
                    page.draw(&PathElement::new(corners, line))
                }
                _ => page.draw(&Circle::new((x, y), WIDE, line)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tests::{elements, page};

    fn chart(lines: Vec<Line>) -> String {
        let names: Vec<String> = (0..lines.len())
            .map(|index| format!("deque {index}"))
            .collect();
        let panel = |title, reference| LinePanel {
            title: String::from(title),
            x_axis: "threads".to_owned(),
            y_axis: "speed-up".to_owned(),
            logarithmic: false,
            doubling: false,
            reference,
            lines: lines.clone(),
        };
        Lines {
            title: "a chart".to_owned(),
            notes: vec!["R-MAT & <friends>".to_owned()],
            series: Lines::series(names.iter().map(String::as_str)),
            reference: "published".to_owned(),
            columns: 2,
            panels: vec![panel("first", Some(1.0)), panel("second", None)],
        }
        .svg()
        .unwrap()
    }

    #[test]
    fn lines_have_titles_axes_and_a_legend() {
        let svg = chart(vec![
            vec![(1, Some(1.0)), (2, Some(1.9)), (8, Some(6.5))],
            vec![(1, Some(0.8)), (2, Some(1.6)), (8, Some(0.1))],
        ]);
        let words = page(&svg);
        for word in [
            "a chart",
            "R-MAT & <friends>",
            "first",
            "second",
            "threads",
            "speed-up",
            "deque 0",
            "deque 1",
            "published",
            "1",
            "8",
        ] {
            assert!(
                words.iter().any(|other| other == word),
                "no {word:?} in {words:?}"
            );
        }
        // The axis shows whole numbers of threads only.
        assert!(!words.iter().any(|word| word == "1.5"));
    }

    #[test]
    fn logarithmic_axes_have_powers() {
        let svg = Lines {
            title: "a chart".to_owned(),
            notes: Vec::new(),
            series: Lines::series(["one"]),
            reference: String::new(),
            columns: 2,
            panels: vec![LinePanel {
                title: "a panel".to_owned(),
                x_axis: "tasks".to_owned(),
                y_axis: "time".to_owned(),
                logarithmic: true,
                doubling: false,
                reference: None,
                lines: vec![vec![
                    (1, Some(0.2)),
                    (4, Some(0.0)),
                    (8, Some(2.0)),
                    (1024, Some(3e4)),
                ]],
            }],
        }
        .svg()
        .unwrap();
        let words = page(&svg);
        for word in ["1", "8", "1024", "0.1", "10000"] {
            assert!(
                words.iter().any(|other| other == word),
                "no {word:?} in {words:?}"
            );
        }
        // There is one circle in the legend, and one at each value except the value without a logarithm.
        assert_eq!(elements(&svg, "circle"), 1 + 3);
    }

    #[test]
    fn an_axis_of_powers_goes_with_a_linear_one() {
        let panel = LinePanel {
            title: "a panel".to_owned(),
            x_axis: "threshold".to_owned(),
            y_axis: "percent".to_owned(),
            logarithmic: false,
            doubling: true,
            reference: Some(100.0),
            lines: vec![vec![(1, Some(0.0)), (2, Some(50.0)), (16384, Some(90.0))]],
        };
        let svg = Lines {
            title: "a chart".to_owned(),
            notes: Vec::new(),
            series: Lines::series(["one"]),
            reference: "perfect".to_owned(),
            columns: 1,
            panels: vec![panel],
        };
        let svg = svg.svg().unwrap();
        let words = page(&svg);
        for power in 0..=14 {
            let word = (1 << power).to_string();
            assert!(words.contains(&word), "no {word} in {words:?}");
        }
        // The axis is linear from 0, and a value of 0 has a mark like any other value.
        assert!(words.contains(&"80".to_owned()) && words.contains(&"0".to_owned()));
        assert_eq!(elements(&svg, "circle"), 1 + 3);
    }

    #[test]
    fn missing_points_are_gaps() {
        let whole: Line = (1..=4).map(|x| (x, Some(1.0))).collect();
        let mut broken = whole.clone();
        broken[1].1 = None;
        let mut strange = whole.clone();
        strange[1].1 = Some(f64::NAN);
        let count = |lines: Vec<Line>| {
            let svg = chart(lines);
            page(&svg);
            // Only the first line has this colour; axes and references have other colours.
            let lines = svg.matches("stroke=\"#000000\"").count();
            (lines, elements(&svg, "circle"))
        };
        // The legend has one line, and each of the two panels has one line of four points.
        assert_eq!(count(vec![whole]), (1 + 2, 1 + 2 * 4));
        for line in [broken, strange] {
            // The panel has a lone point, and a line of two points.
            assert_eq!(count(vec![line]), (1 + 2, 1 + 2 * 3));
        }
        assert_eq!(count(vec![vec![(1, None), (2, None)]]), (1, 1));
        count(Vec::new());
    }

    #[test]
    fn dashes_have_no_marks_and_hollow_marks_no_lines() {
        let count = |look: Look| {
            let svg = Lines {
                title: "a chart".to_owned(),
                notes: Vec::new(),
                series: vec![Series {
                    name: "one".to_owned(),
                    look,
                }],
                reference: String::new(),
                columns: 3,
                panels: vec![LinePanel {
                    title: "a panel".to_owned(),
                    x_axis: "workers".to_owned(),
                    y_axis: "percent".to_owned(),
                    logarithmic: false,
                    doubling: false,
                    reference: None,
                    lines: vec![vec![(1, Some(1.0)), (16, Some(2.0))]],
                }],
            }
            .svg()
            .unwrap();
            page(&svg);
            let strokes = svg.matches("stroke=\"#0072B2\"").count();
            (strokes, svg.matches("fill=\"#0072B2\"").count())
        };
        // The legend and the panel have a line each; there are three marks.
        assert_eq!(count(Look::Marked(1)), (2, 3));
        // A dashed line has many short strokes.
        let (strokes, marks) = count(Look::Dashed(1));
        assert!(strokes > 10 && marks == 0, "{strokes}");
        // Three marks consist of strokes only.
        for shape in 0..3 {
            assert_eq!(count(Look::Hollow(1, shape)), (3, 0), "{shape}");
        }
    }

    #[test]
    fn labels_are_short_and_tell_places_apart() {
        for (most, step) in [
            (1400.0, 200.0),
            (0.6, 0.1),
            (0.11, 0.01),
            (0.09, 0.01),
            (8.4e-5, 1e-5),
        ] {
            let labels: Vec<String> = (0..8).map(|i| label(f64::from(i) * step, most)).collect();
            let different: std::collections::HashSet<_> = labels.iter().collect();
            assert_eq!(different.len(), labels.len(), "{labels:?}");
            assert!(labels.iter().all(|label| label.len() <= 6), "{labels:?}");
        }
        assert_eq!(label(1.2e-5, 8.4e-5), "1.2e-5");
        assert_eq!(label(0.0, 8.4e-5), "0");
    }

    #[test]
    fn many_lines_look_different() {
        let line = |index: usize| -> Line { vec![(1, Some(index as f64)), (2, Some(1.0))] };
        let looks: std::collections::HashSet<_> = (0..45)
            .map(|index| (Look::Marked(index).colour(), index % 5))
            .map(|(c, m)| ((c.0, c.1, c.2), m))
            .collect();
        assert_eq!(looks.len(), 45);
        page(&chart((0..45).map(line).collect()));
    }
}
