//! A picture by ray tracing. A map over rows contains a map over columns.

mod mesh;
mod scene;
mod vector;

use std::io::Write;
use std::sync::OnceLock;

use heist::par::{DEFAULT_LEAF, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Grid, rope, same_rows};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Program, Size};
use mesh::Mesh;
use scene::{Colour, Scene};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "raytracer",
        about: "a picture of the Utah teapot among spheres, a map over rows and columns; no acceleration but a box",
        source: "Rainey's thesis, Raytracer: 256 x 256 (quick); and 1024 x 1024",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The number of rows that one of chili's tasks computes.
const GRAIN: usize = 1;

struct Raytracer {
    scene: Scene,
    side: usize,
    leaf: usize,
    expected: OnceLock<Vec<Vec<Colour>>>,
}

fn prepare(size: Size, data: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    Ok(Box::new(Looped::new(Raytracer::new(size, data, leaf)?)))
}

/// Writes the picture of the program `raytracer` as a PNG file.
///
/// # Errors
/// Returns a one-line error if the size is out of bounds, if the mesh cannot be read, or if the picture cannot be written.
pub fn image(size: Size, data: &Data, to: impl Write) -> Result<(), String> {
    let tracer = Raytracer::new(size, data, DEFAULT_LEAF)?;
    let side = tracer.side as u32;
    let colours: Vec<u8> = tracer.rows().concat().into_flattened();
    let mut encoder = png::Encoder::new(to, side, side);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&colours)?;
        writer.finish()
    });
    written.map_err(|error| format!("the picture: {error}"))
}

impl Raytracer {
    fn new(size: Size, data: &Data, leaf: usize) -> Result<Raytracer, String> {
        let side = within("the side", size.pick(256, 1024), 1..=16_384)?;
        Ok(Raytracer {
            scene: Scene::new(Mesh::read(&data.mesh()?)?),
            side,
            leaf,
            expected: OnceLock::new(),
        })
    }

    fn colour(&self, row: usize, column: usize) -> Colour {
        self.scene.colour(row, column, self.side)
    }

    fn rows(&self) -> Vec<Vec<Colour>> {
        let line = |row| (0..self.side).map(move |column| self.colour(row, column));
        (0..self.side).map(|row| line(row).collect()).collect()
    }
}

impl Loop for Raytracer {
    type Out = Grid<Colour>;

    fn params(&self) -> String {
        let triangles = self.scene.triangles();
        format!("side={} triangles={triangles}", self.side)
    }

    fn serial(&self) -> Grid<Colour> {
        self.rows().into()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Grid<Colour> {
        let all = || (0..self.side).into_par().splitting(policy);
        let line = |row| -> Vec<Colour> { all().map(|column| self.colour(row, column)).collect() };
        all().map(line).collect::<Vec<_>>().into()
    }

    fn serial_ropes(&self) -> Option<Grid<Colour>> {
        let line = |row| (0..self.side).map(move |column| self.colour(row, column));
        let rows = (0..self.side).map(|row| rope(self.leaf, line(row)));
        Some(rope(self.leaf, rows).into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Grid<Colour>> {
        let all = || (0..self.side).into_par().splitting(policy);
        let line = |row| {
            let line = all().map(|column| self.colour(row, column));
            line.collect_rope(self.leaf)
        };
        Some(all().map(line).collect_rope(self.leaf).into())
    }

    fn rayon(&self) -> Grid<Colour> {
        let all = || (0..self.side).into_par_iter();
        let line = |row| -> Vec<Colour> { all().map(|column| self.colour(row, column)).collect() };
        all().map(line).collect::<Vec<_>>().into()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Grid<Colour> {
        let line = |row| (0..self.side).map(move |column| self.colour(row, column));
        joins::map(ctx, self.side, GRAIN, &|row| line(row).collect::<Vec<_>>()).into()
    }

    /// Compares the picture with a second picture, for which the pixels are computed one by one, from the last pixel to the first.
    fn check(&self, out: &Grid<Colour>) -> Result<(), String> {
        let expected = self.expected.get_or_init(|| {
            let mut rows = vec![vec![Colour::default(); self.side]; self.side];
            for at in (0..self.side * self.side).rev() {
                let (row, column) = (at / self.side, at % self.side);
                rows[row][column] = self.colour(row, column);
            }
            rows
        });
        same_rows(&out.to_rows(), expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_or_lost_pixel_fails() {
        let program = Raytracer::new(Size::N(9), &Data::default(), 7).unwrap();
        let rows = program.rows();
        program.check(&rows.clone().into()).unwrap();
        let mut wrong = rows.clone();
        wrong[8][3][1] ^= 1;
        assert!(program.check(&wrong.into()).is_err());
        let mut lost = rows;
        lost[4].pop();
        assert!(program.check(&lost.into()).is_err());
    }

    #[test]
    fn the_teapot_is_in_the_middle_and_the_picture_a_file() {
        let program = Raytracer::new(Size::N(33), &Data::default(), 7).unwrap();
        assert_eq!(program.scene.triangles(), 992);
        let [red, _, blue] = program.colour(16, 16);
        assert!(red > blue, "copper, not the sky or the floor");
        let [red, _, blue] = program.colour(0, 16);
        assert!(blue > red, "the sky");
        let mut file = Vec::new();
        image(Size::N(33), &Data::default(), &mut file).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut read = vec![0; 33 * 33 * 3];
        reader.next_frame(&mut read).unwrap();
        assert_eq!(read, program.rows().concat().into_flattened());
        assert!(image(Size::N(0), &Data::default(), Vec::new()).is_err());
    }
}
