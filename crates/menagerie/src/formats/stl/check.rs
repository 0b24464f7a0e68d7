//! What is wrong in a file that could be read.

use glam::Vec3;

use super::codes;
use super::colour::Convention;
use super::model::{Facet, Model};
use super::{FACET, FACETS};
use crate::bytes::Span;
use crate::diag::{Aspect, Code, Issue, Issues, NOT_FINITE};

/// Finds what is wrong in a model that could be read. Those of text were found in reading it.
pub(super) fn check(model: &Model, issues: &mut Issues) {
    if let Model::Binary(binary) = model {
        facets(&binary.facets, 0, &binary.header, issues);
    }
}

/// Finds what is wrong with some facets of a binary file; the first is the `first`th of the file.
pub(super) fn facets(facets: &[Facet], first: usize, header: &[u8; 80], issues: &mut Issues) {
    let convention = Convention::of(header);
    let mut broken = 0;
    for (i, facet) in facets.iter().enumerate() {
        let index = first + i;
        let mut report = |code: &'static Code, field: &str, place: usize, size: usize, message: &str| {
            issues.push_with(code, || {
                let start = FACETS + index * FACET + place;
                let path = format!("facets[{index}]{field}");
                Issue::new(code, path, message).at(Span::new(start, start + size))
            });
        };
        let [a, b, c] = facet.places();
        let normal = Vec3::from_array(facet.normal.map(|x| x.get()));
        let finite = [a, b, c].map(Vec3::is_finite);
        if finite != [true; 3] {
            broken += 1;
            for (corner, _) in finite.iter().enumerate().filter(|(_, finite)| !**finite) {
                let message = "a corner is not a finite place; the facet is left out of conversions";
                report(
                    &NOT_FINITE,
                    [".v1", ".v2", ".v3"].get(corner).unwrap_or(&""),
                    12 + 12 * corner,
                    12,
                    message,
                );
            }
        } else if let Some(problem) = shape(normal, a, b, c) {
            let (code, field, place, size, message) = problem;
            report(code, field, place, size, message);
        }
        if !normal.is_finite() {
            report(&NOT_FINITE, ".normal", 0, 12, "the normal is not finite; it is made from the corners");
        }
        if convention.is_unknown(facet.attribute.get()) {
            report(&codes::ATTRIBUTE, ".attribute", 48, 2, "these bytes are no colour that is known");
        }
    }
    if broken > 0 {
        issues.give_up(Aspect::Topology, "triangles", "facets", (broken, facets.len()));
    }
}

type Problem = (&'static Code, &'static str, usize, usize, &'static str);

fn shape(normal: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Option<Problem> {
    let area = (b - a).cross(c - a);
    if area == Vec3::ZERO {
        return Some((&codes::DEGENERATE, "", 0, FACET, "its corners lie on a line, or in one place"));
    }
    // A tenth leaves room for normals that were rounded, of facets that are all but a line.
    if normal.is_finite() && normal.dot(area) < -0.1 * normal.length() * area.length() {
        let message = "it points away from the side where the corners go round counter-clockwise";
        return Some((&codes::NORMAL_AGAINST_CORNERS, ".normal", 0, 12, message));
    }
    None
}

impl Facet {
    /// The corners as vectors.
    pub(super) fn places(&self) -> [Vec3; 3] {
        self.corners.map(|corner| Vec3::from_array(corner.map(|x| x.get())))
    }
}
