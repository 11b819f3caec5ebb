//! Charts as data. `heist figure` writes charts to JSON files, and `heist report` draws the charts again from these files.

use serde::{Deserialize, Serialize};

use super::{Areas, Bars, Line, Lines, Look, Scale};
use crate::failure::Failure;

/// A chart of any kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Chart {
    Bars(Bars),
    Lines(Lines),
    Areas(Areas),
}

/// The maximum number of panels, bars or points of a chart. A larger chart would be unreadable.
const MOST: usize = 4096;
/// The maximum number of panels side by side on one page.
const MOST_COLUMNS: usize = 3;
/// The maximum end of a linear x axis. This maximum is small, because a linear x axis has a label at each whole number.
const MOST_X: usize = 4096;
/// The greatest end of an axis of powers of 2. With a greater end, the labels of the axis would overlap.
const MOST_DOUBLING_X: usize = 1 << 20;
/// The greatest number on an axis. Labels of greater numbers would lose digits.
const GREATEST: f64 = 1e15;

/// The style of a picture in a separate file. `heist report` uses the same style.
#[cfg(any(feature = "pml", test))]
const DARK: &str = "\n<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.92) hue-rotate(180deg); } }</style>";

impl Chart {
    /// Returns the chart as SVG.
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        match self {
            Chart::Bars(bars) => bars.svg(),
            Chart::Lines(lines) => lines.svg(),
            Chart::Areas(areas) => areas.svg(),
        }
    }

    /// Returns the chart as the content of a file. The file contains a description of the chart in words, and follows the reader's choice
    /// of a light or dark page.
    #[cfg(any(feature = "pml", test))]
    pub(crate) fn picture(&self) -> Result<String, Failure> {
        let words = crate::report::html::escape(&self.description());
        let svg = self.svg()?;
        let (head, rest) = svg.split_once('>').unwrap_or_default();
        Ok(format!(
            "{head} role=\"img\" aria-label=\"{words}\">{DARK}{rest}"
        ))
    }

    pub(crate) fn title(&self) -> &str {
        match self {
            Chart::Bars(bars) => &bars.title,
            Chart::Lines(lines) => &lines.title,
            Chart::Areas(areas) => &areas.title,
        }
    }

    /// Returns a description of the chart in words, for readers who do not see the chart.
    pub(crate) fn description(&self) -> String {
        let (kind, panels, notes) = match self {
            Chart::Bars(bars) => {
                let panels: Vec<&str> = bars.panels.iter().map(|p| p.title.as_str()).collect();
                (format!("Bars, {}", bars.axis), panels, &bars.notes)
            }
            Chart::Lines(lines) => {
                let axes = lines.panels.first().map_or(String::new(), |panel| {
                    format!(", {} by {}", panel.y_axis, panel.x_axis)
                });
                let names: Vec<&str> = lines.series.iter().map(|s| s.name.as_str()).collect();
                let panels = lines.panels.iter().map(|p| p.title.as_str()).collect();
                (
                    format!("Lines{axes}, of {}", names.join(", ")),
                    panels,
                    &lines.notes,
                )
            }
            Chart::Areas(areas) => {
                let names = areas.layers.iter().map(|layer| layer.name.as_str());
                let axes = format!("Areas, {} by {}", areas.y_axis, areas.x_axis);
                let kind = format!("{axes}, {}", areas.peak_name);
                (kind, names.collect(), &areas.notes)
            }
        };
        let notes = notes.join(". ");
        format!(
            "{}. {kind}. Panels: {}. {notes}",
            self.title(),
            panels.join("; ")
        )
    }

    /// Returns an error that describes the problem if a chart from a file cannot be drawn.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Chart::Bars(bars) => check_bars(bars),
            Chart::Lines(lines) => check_lines(lines),
            Chart::Areas(areas) => check_areas(areas),
        }
        .map_err(|what| {
            let title: String = self.title().chars().take(60).collect();
            format!("the chart '{title}' {what}")
        })
    }
}

fn number(value: f64) -> Result<(), String> {
    if value.is_finite() && value.abs() <= GREATEST {
        Ok(())
    } else {
        Err(format!("has the value {value}"))
    }
}

fn few(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count <= most {
        Ok(())
    } else {
        Err(format!("has {count} {what}; at most {most} can be drawn"))
    }
}

fn check_bars(bars: &Bars) -> Result<(), String> {
    few("panels", bars.panels.len(), MOST / 64)?;
    if let Scale::Linear { limit } = bars.scale {
        number(limit)?;
        if limit <= 0.0 {
            return Err(format!("has an axis that ends at {limit}"));
        }
    }
    for panel in &bars.panels {
        few("bars in a panel", panel.bars.len(), MOST / 16)?;
        panel.reference.map_or(Ok(()), number)?;
        for bar in &panel.bars {
            let ranges = [bar.band, bar.spread];
            for value in ranges.into_iter().flatten().flatten().chain(bar.value) {
                number(value)?;
            }
        }
    }
    Ok(())
}

fn check_lines(lines: &Lines) -> Result<(), String> {
    few("panels", lines.panels.len(), MOST / 64)?;
    few("lines", lines.series.len(), MOST / 64)?;
    if !(1..=MOST_COLUMNS).contains(&lines.columns) {
        return Err(format!("has {} panels abreast", lines.columns));
    }
    for panel in &lines.panels {
        panel.reference.map_or(Ok(()), number)?;
        few("lines in a panel", panel.lines.len(), lines.series.len())?;
        for line in &panel.lines {
            few("points in a line", line.len(), MOST)?;
            check_line(line, panel.logarithmic || panel.doubling)?;
        }
    }
    let looks = lines.series.iter().map(|series| match series.look {
        Look::Marked(index) | Look::Dashed(index) => index,
        Look::Hollow(index, shape) => index.max(shape),
    });
    few("looks", looks.max().unwrap_or(0), MOST)
}

fn check_areas(areas: &Areas) -> Result<(), String> {
    few("layers", areas.layers.len(), MOST / 64)?;
    few("times", areas.times.len(), MOST)?;
    number(areas.end)?;
    let lists = areas.layers.iter().map(|layer| &layer.values);
    for list in lists.chain([&areas.times, &areas.line]) {
        if list.len() != areas.times.len() {
            return Err("has not one value for each time".to_owned());
        }
        list.iter().try_for_each(|value| number(*value))?;
    }
    match areas.peak {
        Some(peak) if peak >= areas.times.len() => Err("has a peak at no time".to_owned()),
        _ => Ok(()),
    }
}

fn check_line(line: &Line, doubling: bool) -> Result<(), String> {
    for &(x, y) in line {
        let most = if doubling { MOST_DOUBLING_X } else { MOST_X };
        few("on its x axis", x, most)?;
        y.map_or(Ok(()), number)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{LinePanel, tests::page};
    use super::*;

    fn lines() -> Lines {
        Lines {
            title: "a chart".to_owned(),
            notes: vec!["a note".to_owned()],
            series: Lines::series(["one"]),
            reference: String::new(),
            columns: 3,
            panels: vec![LinePanel {
                title: "a panel".to_owned(),
                x_axis: "workers".to_owned(),
                y_axis: "percent".to_owned(),
                logarithmic: false,
                doubling: false,
                reference: None,
                lines: vec![vec![(1, Some(0.5)), (16, None)]],
            }],
        }
    }

    #[test]
    fn a_chart_comes_back_as_it_was() {
        let chart = Chart::Lines(lines());
        let text = serde_json::to_string(&chart).unwrap();
        let back: Chart = serde_json::from_str(&text).unwrap();
        assert_eq!(back, chart);
        assert_eq!(back.check(), Ok(()));
        assert_eq!(back.svg().unwrap(), chart.svg().unwrap());
        page(&back.svg().unwrap());
        for word in ["a chart", "a panel", "percent by workers", "one", "a note"] {
            assert!(back.description().contains(word), "no {word}");
        }
    }

    #[test]
    fn axes_of_powers_go_further() {
        for (doubling, x, fine) in [
            (true, 1 << 20, true),
            (true, (1 << 20) + 1, false),
            (false, 1 << 12, true),
            (false, (1 << 12) + 1, false),
        ] {
            let mut lines = lines();
            lines.panels[0].doubling = doubling;
            lines.panels[0].lines[0][1].0 = x;
            let chart = Chart::Lines(lines);
            assert_eq!(chart.check().is_ok(), fine, "{doubling} {x}");
            // Older files lack the field `doubling`.
            let text = serde_json::to_string(&chart).unwrap();
            let older = text.replace("\"doubling\":false,", "");
            assert_eq!(older == text, doubling);
            assert_eq!(serde_json::from_str::<Chart>(&older).unwrap(), chart);
        }
    }

    #[test]
    fn charts_that_cannot_be_drawn_are_refused() {
        let spoilt: [fn(&mut Lines); 5] = [
            |lines| lines.columns = 0,
            |lines| lines.panels[0].reference = Some(f64::INFINITY),
            |lines| lines.panels[0].lines[0][0].1 = Some(1e300),
            |lines| lines.panels[0].lines[0][0].0 = usize::MAX,
            |lines| lines.series.clear(),
        ];
        for spoil in spoilt {
            let mut lines = lines();
            spoil(&mut lines);
            assert!(Chart::Lines(lines).check().is_err());
        }
    }
}
