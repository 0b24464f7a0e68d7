//! Animations and their channels.

use super::{Extras, NodeId};

/// A movement of several nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Its name; may be empty.
    pub name: String,
    /// What moves how.
    pub channels: Vec<Channel>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Animation {
    /// The time of the last key of all channels.
    pub fn seconds(&self) -> f32 {
        self.channels.iter().filter_map(|channel| channel.times.last()).copied().fold(0.0, f32::max)
    }
}

/// How one property of one node changes over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Whose property.
    pub node: NodeId,
    /// Which property.
    pub property: Property,
    /// What happens between the keys.
    pub interpolation: Interpolation,
    /// The times of the keys in seconds, rising.
    pub times: Vec<f32>,
    /// [`Property::width`] floats for each key, or as many as the node's mesh has morph targets;
    /// with [`Interpolation::Cubic`] three times as many: in-tangent, value, out-tangent.
    pub values: Vec<f32>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Channel {
    /// Floats of one value of one key; zero when there are no keys.
    pub fn width(&self) -> usize {
        let parts = if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        self.values.len() / self.times.len().max(1) / parts
    }

    /// The value at key `index`, without tangents.
    pub fn key(&self, index: usize) -> &[f32] {
        let width = self.width();
        let start = match self.interpolation {
            Interpolation::Cubic => (index * 3 + 1) * width,
            _ => index * width,
        };
        self.values.get(start..start + width).unwrap_or_default()
    }

    /// The in-tangent and out-tangent at key `index`; empty unless the interpolation is cubic.
    pub fn tangents(&self, index: usize) -> (&[f32], &[f32]) {
        if self.interpolation != Interpolation::Cubic {
            return (&[], &[]);
        }
        let width = self.width();
        let at = |part: usize| {
            let start = (index * 3 + part) * width;
            self.values.get(start..start + width).unwrap_or_default()
        };
        (at(0), at(2))
    }
}

/// What a channel animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The node's translation: three floats a key.
    Translation,
    /// The node's rotation: four floats a key.
    Rotation,
    /// The node's scale: three floats a key.
    Scale,
    /// The weights of the morph targets of the node's mesh.
    Weights,
}

impl Property {
    /// Floats of one value; `None` for weights, whose number the mesh says.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Translation | Self::Scale => Some(3),
            Self::Rotation => Some(4),
            Self::Weights => None,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }
}

/// What happens between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Interpolation {
    /// The earlier value holds.
    Step,
    /// A straight line; for rotations the shorter arc.
    Linear,
    /// A Hermite spline with the tangents of the keys.
    Cubic,
}
