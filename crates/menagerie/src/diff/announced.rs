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
    /// Losses of these.
    pub aspects: &'static [Aspect],
    /// When.
    pub when: Blind,
    /// Why.
    pub reason: &'static str,
}

/// When a comparison of two Scenes is blind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blind {
    /// Whatever it finds.
    Always,
    /// When it finds a difference of this.
    Beside(Aspect),
    /// When elements are missing, or so far away that nobody can tell which is which ([`DiffReport::unpaired`]).
    Unpaired,
}

/// All that a comparison of Scenes does not show, and why.
pub const CANNOT_SEE: &[CannotSee] = &[
    CannotSee {
        aspects: &[Aspect::Textures],
        when: Blind::Always,
        reason: "pictures that were not found, or that another name refers to, have no bytes to compare",
    },
    CannotSee {
        aspects: &[Aspect::Names, Aspect::Extras, Aspect::Transforms, Aspect::Animations],
        when: Blind::Beside(Aspect::Hierarchy),
        reason: "what nodes carried that are gone or became something else is not compared one by one",
    },
    CannotSee {
        aspects: &[Aspect::Positions, Aspect::Normals],
        when: Blind::Beside(Aspect::Transforms),
        reason: "what a node draws is compared in its own space: of a node that is elsewhere, its place alone differs",
    },
    CannotSee {
        aspects: &[
            Aspect::Positions,
            Aspect::Normals,
            Aspect::Tangents,
            Aspect::Uvs,
            Aspect::Colors,
            Aspect::Skins,
            Aspect::Morphs,
            Aspect::CustomAttributes,
            Aspect::Materials,
            Aspect::Names,
        ],
        when: Blind::Unpaired,
        reason: "what hangs on triangles that are gone or far away, their materials and the names of these included, is \
                 compared with nothing",
    },
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
        let mut known = CANNOT_SEE.iter().filter(|known| known.aspects.contains(&aspect));
        known.any(|known| match known.when {
            Blind::Always => true,
            Blind::Beside(other) => self.sees(other),
            Blind::Unpaired => self.unpaired > 0,
        })
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
