//! The one rule of what a conversion must say: announced ⇔ seen.
//!
//! Whatever differs between the source and the result read back, the report of the conversion has named, as large as it
//! is; and whatever the report names as lost really differs, but for the few things in [`CANNOT_SEE`].

use super::{DiffReport, Difference};
use crate::diag::{Aspect, Loss, LossKind, LossReport};

/// How much larger than announced a difference may be: what rounding adds, and measuring at other points.
const SLACK: f64 = 1.05;

/// Differences up to this are no larger than the smallest announced ones, whatever their unit.
const LEAST: f64 = 1e-4;

/// What a comparison of Scenes does not show although a loss of it is true.
pub struct CannotSee {
    /// A loss of this.
    pub aspect: Aspect,
    /// When a difference of this is seen; `None` for always.
    pub beside: Option<Aspect>,
    /// Why.
    pub reason: &'static str,
}

const fn hidden(aspect: Aspect, beside: Option<Aspect>, reason: &'static str) -> CannotSee {
    CannotSee { aspect, beside, reason }
}

const GONE_NODES: &str =
    "what nodes carried that are gone or became something else is not compared one by one";
const OWN_SPACE: &str =
    "what a node draws is compared in its own space: of a node that is elsewhere, its place alone differs";
const GONE_TRIANGLES: &str = "what hung on the vertices of missing triangles is compared with nothing";
const FAR_TRIANGLES: &str =
    "of triangles that moved farther than they are large only that they moved is known, not which is which";

/// All that a comparison of Scenes does not show, and why.
pub const CANNOT_SEE: &[CannotSee] = &[
    hidden(
        Aspect::Textures,
        None,
        "pictures that were not found, or that another name refers to, have no bytes to compare",
    ),
    hidden(Aspect::Names, Some(Aspect::Hierarchy), GONE_NODES),
    hidden(Aspect::Extras, Some(Aspect::Hierarchy), GONE_NODES),
    hidden(Aspect::Transforms, Some(Aspect::Hierarchy), GONE_NODES),
    hidden(Aspect::Animations, Some(Aspect::Hierarchy), GONE_NODES),
    hidden(Aspect::Positions, Some(Aspect::Transforms), OWN_SPACE),
    hidden(Aspect::Normals, Some(Aspect::Transforms), OWN_SPACE),
    hidden(Aspect::Normals, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Tangents, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::CustomAttributes, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Uvs, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Colors, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Materials, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Positions, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Skins, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Tangents, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::CustomAttributes, Some(Aspect::Topology), GONE_TRIANGLES),
    hidden(Aspect::Skins, Some(Aspect::Positions), FAR_TRIANGLES),
    hidden(Aspect::Uvs, Some(Aspect::Positions), FAR_TRIANGLES),
    hidden(Aspect::Tangents, Some(Aspect::Positions), FAR_TRIANGLES),
    hidden(Aspect::CustomAttributes, Some(Aspect::Positions), FAR_TRIANGLES),
];

impl DiffReport {
    /// The differences of which a conversion's report says nothing, or that are larger than it says: losses that would
    /// have been silent.
    pub fn unannounced<'a>(&'a self, losses: &'a LossReport) -> impl Iterator<Item = &'a Difference> {
        self.differences
            .iter()
            .filter(move |difference| !losses.announced().any(|loss| covers(loss, difference)))
    }

    /// The losses of a conversion's report that no difference shows: losses that did not happen. What the source itself
    /// lacks is in neither Scene and does not count, nor does what was added or asked for, or kept in a note.
    pub fn unseen<'a>(&'a self, losses: &'a LossReport) -> impl Iterator<Item = &'a Loss> {
        let of_conversion =
            losses.losses().filter(|loss| loss.kind != LossKind::Damaged && !loss.noted && !loss.unread);
        of_conversion.filter(|loss| !self.sees(loss.aspect) && !self.cannot_see(loss.aspect))
    }

    fn sees(&self, aspect: Aspect) -> bool {
        self.differences.iter().any(|difference| difference.aspect == aspect)
    }

    fn cannot_see(&self, aspect: Aspect) -> bool {
        let mut known = CANNOT_SEE.iter().filter(|known| known.aspect == aspect);
        known.any(|known| known.beside.is_none_or(|beside| self.sees(beside)))
    }
}

/// Whether a loss announces a difference.
fn covers(loss: &Loss, difference: &Difference) -> bool {
    if loss.aspect != difference.aspect || loss.kind == LossKind::Damaged {
        return false;
    }
    match (loss.error, difference.error) {
        (Some((named, unit)), Some((found, other))) if unit == other => {
            found.max <= named.max * SLACK + LEAST || !found.max.is_finite()
        }
        // What is gone is off by whatever it was.
        _ => true,
    }
}
