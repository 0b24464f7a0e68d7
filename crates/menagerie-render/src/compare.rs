//! How much two models look alike: pictures of both from the same places, and how far apart the pixels are.

use menagerie::diag::Issue;

use crate::Picture;
use crate::camera::{CameraChoice, Side};
use crate::lights::Lights;
use crate::sheet::{Cell, contact_sheet};
use crate::stage::{Shot, Stage};

/// From where pictures are compared: two corners, the front and from above.
const SIDES: [(&str, Side); 4] = [
    ("three-quarter", Side::THREE_QUARTER),
    ("from behind", Side { azimuth: 215.0, elevation: 22.0 }),
    ("front", Side { azimuth: 0.0, elevation: 0.0 }),
    ("above", Side { azimuth: 20.0, elevation: 70.0 }),
];

/// Pictures of two models from one place.
#[derive(Clone, Debug)]
pub struct Pair {
    /// From where.
    pub name: &'static str,
    /// The first model.
    pub a: Picture,
    /// The second.
    pub b: Picture,
    /// The mean difference of their pixels, from 0 to 255.
    pub difference: f64,
}

/// Pictures of two models from the same places, both where the first one fills the picture, in the same light.
pub fn compare(a: &Stage<'_>, b: &Stage<'_>, side: u32) -> Result<Vec<Pair>, Issue> {
    SIDES.iter().map(|(name, from)| pair(name, *from, a, b, side)).collect()
}

fn pair(name: &'static str, from: Side, a: &Stage<'_>, b: &Stage<'_>, side: u32) -> Result<Pair, Issue> {
    let mut shot = Shot {
        width: side,
        height: side,
        camera: CameraChoice::Framing(from),
        lights: Lights::Studio,
        shadow: false,
        ..Shot::default()
    };
    // Where the first has nothing to show, the second is framed by itself: then all of it is a difference.
    let view = match a.common_view(std::slice::from_ref(&shot))? {
        Some(view) => Some(view),
        None => b.common_view(std::slice::from_ref(&shot))?,
    };
    if let Some(view) = view {
        shot.camera = CameraChoice::View(view);
    }
    let (a, b) = (a.take(&shot)?.picture, b.take(&shot)?.picture);
    let difference = mean_difference(&a, &b);
    Ok(Pair { name, a, b, difference })
}

/// The mean of all pairs.
pub fn mean(pairs: &[Pair]) -> f64 {
    pairs.iter().map(|pair| pair.difference).sum::<f64>() / pairs.len().max(1) as f64
}

/// The mean difference of the colours of two pictures of the same size, from 0 to 255.
fn mean_difference(a: &Picture, b: &Picture) -> f64 {
    let apart = |(a, b): (&[u8; 4], &[u8; 4])| {
        a.iter().zip(b).take(3).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>()
    };
    let sum: u64 = a.pixels().iter().zip(b.pixels()).map(apart).sum();
    sum as f64 / (3 * a.pixels().len().max(1)) as f64
}

/// A sheet with a row for each pair: the first, the second, and what differs between them.
pub fn side_by_side(pairs: &[Pair], names: [&str; 2]) -> Result<Picture, Issue> {
    let mut cells = Vec::with_capacity(pairs.len() * 3);
    for pair in pairs {
        let mut shown = pair.a.clone();
        for (pixel, other) in shown.pixels_mut().iter_mut().zip(pair.b.pixels()) {
            let apart: [u8; 3] = std::array::from_fn(|i| pixel[i].abs_diff(other[i]).saturating_mul(2));
            *pixel = [apart[0], apart[1], apart[2], 255];
        }
        let label = format!("{} {:.2}", pair.name, pair.difference);
        cells.push(Cell { picture: pair.a.clone(), label: names[0].to_owned() });
        cells.push(Cell { picture: pair.b.clone(), label: names[1].to_owned() });
        cells.push(Cell { picture: shown, label });
    }
    contact_sheet(&cells, 3, [255; 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_the_colours() {
        let white = Picture::new(4, 2, [255; 4]).unwrap();
        let mut other = white.clone();
        other.pixels_mut()[3] = [255, 255, 15, 255];
        assert_eq!(mean_difference(&white, &white), 0.0);
        assert_eq!(mean_difference(&white, &other), 240.0 / 24.0);
    }
}
