// Charts as SVG, for the programs of docs/guide.md. The file needs `std` only.

use std::fmt::Write;
use std::ops::Range;

/// Colours that can be told apart.
pub const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

/// Position of the axes' frame.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 605.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 340.0;

/// An axis: its quantity with the unit, its range, and whether it is logarithmic (base ten).
pub struct Axis {
    label: &'static str,
    range: Range<f64>,
    log: bool,
}

/// Returns an axis with a linear scale.
pub fn linear(label: &'static str, range: Range<f64>) -> Axis {
    Axis {
        label,
        range,
        log: false,
    }
}

/// Returns an axis with a logarithmic scale.
pub fn log(label: &'static str, range: Range<f64>) -> Axis {
    Axis {
        label,
        range,
        log: true,
    }
}

impl Axis {
    /// Returns the position of a value along the axis: 0 at its start, 1 at its end. Panics if the value is out of range, so that no value
    /// is dropped silently.
    fn along(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.log { v.log10() } else { v };
        let (from, to) = (scale(self.range.start), scale(self.range.end));
        let along = (scale(value) - from) / (to - from);
        assert!(
            (-1e-9..1.0 + 1e-9).contains(&along),
            "{value} is not on the axis of {}",
            self.label
        );
        along
    }

    /// Returns round values for the labels of the axis.
    fn ticks(&self) -> Vec<f64> {
        let Range { start, end } = self.range;
        if self.log {
            let powers = start.log10().round() as i32..=end.log10().round() as i32;
            return powers.map(|power| 10_f64.powi(power)).collect();
        }
        let power = 10_f64.powf(((end - start) / 8.0).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = *steps
            .iter()
            .find(|step| (end - start) / **step <= 8.0)
            .unwrap_or(&power);
        let numbers = (start / step).ceil() as i64..=(end / step + 1e-9).floor() as i64;
        numbers.map(|number| number as f64 * step).collect()
    }
}

/// A frame with axes, and the shapes drawn into it.
pub struct Chart {
    svg: String,
    x: Axis,
    y: Axis,
    names: usize,
}

impl Chart {
    /// Returns an empty chart.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        let mut svg = String::from(concat!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" width="640" height="400" "#,
            r#"font-family="sans-serif" font-size="13">"#,
            "\n<rect width=\"640\" height=\"400\" fill=\"#fff\"/>\n",
        ));
        let mut text = |x: f64, y: f64, rest: &str, words: &str| {
            writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" {rest}>{words}</text>"#).unwrap();
        };
        text(342.5, 28.0, r#"text-anchor="middle" font-size="16""#, title);
        text(342.5, 385.0, r#"text-anchor="middle""#, x.label);
        text(
            0.0,
            0.0,
            r#"text-anchor="middle" transform="translate(18 195) rotate(-90)""#,
            y.label,
        );
        for value in x.ticks() {
            let at = LEFT + x.along(value) * (RIGHT - LEFT);
            text(at, BOTTOM + 20.0, r#"text-anchor="middle""#, &number(value));
        }
        for value in y.ticks() {
            let at = BOTTOM - y.along(value) * (BOTTOM - TOP);
            text(LEFT - 8.0, at + 4.0, r#"text-anchor="end""#, &number(value));
        }
        let mut chart = Chart {
            svg,
            x,
            y,
            names: 0,
        };
        for value in chart.x.ticks() {
            let at = chart.at((value, chart.y.range.start)).0;
            chart.draw(
                "path",
                &format!(r##"d="M{at:.1} {BOTTOM}v5" stroke="#444""##),
            );
        }
        for value in chart.y.ticks() {
            let at = chart.at((chart.x.range.start, value)).1;
            chart.draw(
                "path",
                &format!(r##"d="M{LEFT} {at:.1}H{RIGHT}" stroke="#ddd""##),
            );
        }
        chart
    }

    fn draw(&mut self, shape: &str, attributes: &str) {
        writeln!(self.svg, "<{shape} {attributes}/>").unwrap();
    }

    /// Returns the position of a point of the plane in the picture.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let right = LEFT + self.x.along(x) * (RIGHT - LEFT);
        (right, BOTTOM - self.y.along(y) * (BOTTOM - TOP))
    }

    /// Adds an entry of the legend in the lower right corner; the next entry goes above it.
    pub fn name(mut self, colour: &str, name: &str) -> Self {
        let y = BOTTOM - 12.0 - 18.0 * self.names as f64;
        self.names += 1;
        let attributes =
            format!(r#"x="{RIGHT}" dx="-10" y="{y}" text-anchor="end" fill="{colour}""#);
        writeln!(self.svg, "<text {attributes}>{name}</text>").unwrap();
        self
    }

    /// Draws a bar around each whole number of the x-axis, from 0 on. A value of 0 has no bar.
    pub fn bars(mut self, colour: &str, heights: impl IntoIterator<Item = f64>) -> Self {
        let bars = heights.into_iter().enumerate();
        for (i, height) in bars.filter(|(_, height)| *height > 0.0) {
            let (left, top) = self.at((i as f64 - 0.4, height));
            let (width, height) = (self.at((i as f64 + 0.4, 0.0)).0 - left, BOTTOM - top);
            let place =
                format!(r#"x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}""#);
            self.draw("rect", &format!(r#"{place} fill="{colour}""#));
        }
        self
    }

    /// Draws a line through points.
    pub fn line(mut self, colour: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut path = String::new();
        for point in points {
            let (x, y) = self.at(point);
            write!(path, " {x:.1},{y:.1}").unwrap();
        }
        let points = path.trim();
        self.draw(
            "polyline",
            &format!(r#"points="{points}" fill="none" stroke="{colour}" stroke-width="1.5""#),
        );
        self
    }

    /// Draws a dot at each point, with that radius.
    pub fn dots(
        mut self,
        colour: &str,
        radius: f64,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        for point in points {
            let (x, y) = self.at(point);
            self.draw(
                "circle",
                &format!(r#"cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}""#),
            );
        }
        self
    }

    /// Draws an image that fills the frame, in rows from the top. Values go from 0 (dark) to 1 (bright).
    pub fn image(mut self, rows: &[Vec<f64>]) -> Self {
        // Sixteen shades; neighbours of one shade are one rectangle, and all of a shade one path.
        let shade = |value: f64| (value.clamp(0.0, 1.0) * 15.0).round() as usize;
        let mut paths = vec![String::new(); 16];
        for (y, row) in rows.iter().enumerate() {
            let mut x = 0;
            for same in row.chunk_by(|a, b| shade(*a) == shade(*b)) {
                let width = same.len();
                write!(paths[shade(same[0])], "M{x} {y}h{width}v1h-{width}z").unwrap();
                x += width;
            }
        }
        let columns = rows.first().map_or(1, Vec::len);
        let (across, down) = (
            (RIGHT - LEFT) / columns as f64,
            (BOTTOM - TOP) / rows.len() as f64,
        );
        let place = format!("translate({LEFT} {TOP}) scale({across:.4} {down:.4})");
        writeln!(
            self.svg,
            r#"<g transform="{place}" shape-rendering="crispEdges">"#
        )
        .unwrap();
        for (shade, path) in paths
            .iter()
            .enumerate()
            .filter(|(_, path)| !path.is_empty())
        {
            let [red, green, blue] = colour(shade as f64 / 15.0);
            self.draw(
                "path",
                &format!(r#"fill="rgb({red},{green},{blue})" d="{path}""#),
            );
        }
        self.svg.push_str("</g>\n");
        self
    }

    /// Writes the chart to `file`, relative to the current folder.
    pub fn save(mut self, file: &str) -> std::io::Result<()> {
        let (width, height) = (RIGHT - LEFT, BOTTOM - TOP);
        let place = format!(r#"x="{LEFT}" y="{TOP}" width="{width}" height="{height}""#);
        self.draw("rect", &format!(r##"{place} fill="none" stroke="#444""##));
        self.svg.push_str("</svg>\n");
        std::fs::write(file, self.svg)
    }
}

/// Returns a colour of a scale of increasing brightness: black, violet, orange, yellow.
fn colour(value: f64) -> [u8; 3] {
    let stops = [
        [0.0, 0.0, 20.0],
        [110.0, 20.0, 110.0],
        [240.0, 120.0, 30.0],
        [255.0, 250.0, 170.0],
    ];
    let at = value * 3.0;
    let stop = (at as usize).min(2);
    let mix =
        |i: usize| stops[stop][i] + (at - stop as f64) * (stops[stop + 1][i] - stops[stop][i]);
    [mix(0) as u8, mix(1) as u8, mix(2) as u8]
}

/// Returns the shortest decimal form of a number.
fn number(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    let digits = format!("{rounded}");
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", &*digits), |rest| ("−", rest));
    if digits.contains('.') || digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| String::from_utf8_lossy(group))
        .collect();
    format!("{sign}{}", groups.join(" "))
}
