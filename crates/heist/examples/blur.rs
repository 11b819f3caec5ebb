//! Blurs an image by two passes of a box filter. Each pass is a parallel loop over rows that writes
//! in place.
//!
//! ```text
//! cargo run --release -p heist --example blur
//! ```

use heist::par::prelude::*;
use std::io::Write;

/// A grey image, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The number of pixels in a row.
    pub width: usize,
    /// The brightness of each pixel, from 0 (black) to 1 (white).
    pub pixels: Vec<f32>,
}

impl Image {
    /// Returns an image of a white disc on black.
    pub fn disc(width: usize) -> Image {
        let middle = width as f32 / 2.0;
        let pixel = |i: usize| {
            let (x, y) = ((i % width) as f32 - middle, (i / width) as f32 - middle);
            f32::from(x.hypot(y) < middle / 2.0)
        };
        Image {
            width,
            pixels: (0..width * width).par().map(pixel).collect(),
        }
    }

    /// Blurs each row: each pixel becomes the mean of the `2 * radius + 1` pixels around it.
    /// Returns the rows as columns, so that two calls blur in both directions.
    fn blur_rows(&self, radius: usize) -> Image {
        let (width, height) = (self.width, self.pixels.len() / self.width);
        let mut rows = vec![0.0; self.pixels.len()];
        let lines = (rows.par_chunks_mut(width), self.pixels.par_chunks(width));
        lines.into_par().for_each(|(to, from)| {
            for (x, pixel) in to.iter_mut().enumerate() {
                let near = &from[x.saturating_sub(radius)..width.min(x + radius + 1)];
                *pixel = near.iter().sum::<f32>() / near.len() as f32;
            }
        });
        let mut turned = vec![0.0; rows.len()];
        let columns = turned.par_chunks_mut(height).enumerate();
        columns.for_each(|(x, column)| {
            for (y, pixel) in column.iter_mut().enumerate() {
                *pixel = rows[y * width + x];
            }
        });
        Image {
            width: height,
            pixels: turned,
        }
    }

    /// Blurs the image in both directions.
    #[must_use]
    pub fn blur(&self, radius: usize) -> Image {
        self.blur_rows(radius).blur_rows(radius)
    }
}

/// Runs the example: writes a blurred disc to a file in PGM format.
pub fn main() -> std::io::Result<()> {
    let image = Image::disc(1024).blur(8);
    let bytes: Vec<u8> = image.pixels.par().map(|it| (it * 255.0) as u8).collect();
    let mut out = std::fs::File::create("blurred.pgm")?;
    writeln!(out, "P5 1024 1024 255")?;
    out.write_all(&bytes)
}
