//! What is wrong in a file that could be read.

use glam::Vec3;

use super::FACETS;
use super::codes;
use super::colour::Convention;
use super::model::{FACET, Facet, Model};
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
        let mut report = |code: &'static Code, field: &str, message: &str| {
            issues.push_with(code, || {
                let span = FACET.span(FACETS + index * FACET.size, field);
                let dot = if field.is_empty() { "" } else { "." };
                Issue::new(code, format!("facets[{index}]{dot}{field}"), message).at(span)
            });
        };
        let [a, b, c] = facet.places();
        let normal = Vec3::from_array(facet.normal.map(|x| x.get()));
        let finite = [a, b, c].map(Vec3::is_finite);
        if finite != [true; 3] {
            broken += 1;
            for (corner, _) in ["v1", "v2", "v3"].into_iter().zip(finite).filter(|(_, finite)| !finite) {
                let message = "a corner is not a finite place; the facet is left out of conversions";
                report(&NOT_FINITE, corner, message);
            }
        } else if let Some((code, field, message)) = shape(normal, a, b, c) {
            report(code, field, message);
        }
        if !normal.is_finite() {
            report(&NOT_FINITE, "normal", "the normal is not finite; it is made from the corners");
        }
        if convention.is_unknown(facet.attribute.get()) {
            report(&codes::ATTRIBUTE, "attribute", "these bytes are no colour that is known");
        }
    }
    if broken > 0 {
        issues.give_up(Aspect::Topology, "triangles", "facets", (broken, facets.len()));
    }
}

/// A code, the field, and what is wrong with it.
type Problem = (&'static Code, &'static str, &'static str);

fn shape(normal: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Option<Problem> {
    let area = (b - a).cross(c - a);
    if area == Vec3::ZERO {
        return Some((&codes::DEGENERATE, "", "its corners lie on a line, or in one place"));
    }
    // A tenth leaves room for normals that were rounded, of facets that are all but a line.
    if normal.is_finite() && normal.dot(area) < -0.1 * normal.length() * area.length() {
        let message = "it points away from the side where the corners go round counter-clockwise";
        return Some((&codes::NORMAL_AGAINST_CORNERS, "normal", message));
    }
    None
}

impl Facet {
    /// The corners as vectors.
    pub(super) fn places(&self) -> [Vec3; 3] {
        self.corners.map(|corner| Vec3::from_array(corner.map(|x| x.get())))
    }
}
