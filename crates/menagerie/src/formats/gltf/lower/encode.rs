//! Vertex attributes as the numbers they came as, where that is exact, and as floats otherwise.

use super::super::accessor::Component;
use super::super::json::Number;
use super::super::notes::Encoding;
use super::super::repair::{unit_tangents, unit_vectors};
use super::buffers::{Encoded, Use};

impl Encoding {
    /// `values`, `width` a vertex, in this encoding; `None` unless they come back exactly when `semantic` is read.
    pub(super) fn encode(self, semantic: &str, values: &[f32], width: usize) -> Option<Encoded<'static>> {
        let kept = self.shape.width();
        if self.shape.columns > 1 && self.component.size() < 4 {
            return None;
        }
        // Colours without alpha: the fourth component must be one.
        let fill_is_one = |element: &[f32]| element.iter().skip(kept).all(|&alpha| alpha == 1.0);
        if kept > width || !values.chunks_exact(width).all(fill_is_one) {
            return None;
        }
        let mut integers = Vec::with_capacity(values.len() / width.max(1) * kept);
        let mut decoded = Vec::with_capacity(values.len());
        for element in values.chunks_exact(width) {
            for &value in element.iter().take(kept) {
                let (stored, back) = self.number(value)?;
                integers.push(stored);
                decoded.push(back);
            }
            decoded.extend(element.iter().skip(kept));
        }
        match semantic {
            "NORMAL" => drop(unit_vectors(decoded.as_chunks_mut::<3>().0, true)),
            "TANGENT" => drop(unit_tangents(decoded.as_chunks_mut::<4>().0, true)),
            _ => {}
        }
        if decoded != values {
            return None;
        }
        let bytes = integers.iter().flat_map(|stored| stored.bytes(self.component)).collect();
        let bounds = (semantic == "POSITION").then(|| bounds(&integers, kept));
        let count = integers.len() / kept.max(1);
        Some(Encoded {
            component: self.component,
            shape: self.shape,
            normalized: self.normalized,
            count,
            bytes,
            bounds,
        })
    }

    /// The stored number for a value, and the value that it means.
    fn number(self, value: f32) -> Option<(Stored, f32)> {
        let (least, largest) = match self.component {
            Component::F32 => return Some((Stored::Float(value), value)),
            Component::I8 => (-127, 127),
            Component::U8 => (0, 255),
            Component::I16 => (-32767, 32767),
            Component::U16 => (0, 65535),
            Component::U32 => (0, u32::MAX.into()),
        };
        let scale = if self.normalized { largest as f32 } else { 1.0 };
        let stored = (value * scale).round() as i64;
        // The least of the signed types is allowed where it is not a fraction.
        let least = if self.normalized || least == 0 { least } else { least - 1 };
        let back = if self.normalized { (stored as f32 / scale).max(-1.0) } else { stored as f32 };
        (least..=largest).contains(&stored).then_some((Stored::Integer(stored), back))
    }
}

#[derive(Clone, Copy, Debug)]
enum Stored {
    Float(f32),
    Integer(i64),
}

impl Stored {
    fn bytes(self, component: Component) -> impl Iterator<Item = u8> {
        let bytes = match self {
            Self::Float(value) => value.to_le_bytes(),
            Self::Integer(value) => (value as u32).to_le_bytes(),
        };
        bytes.into_iter().take(component.size())
    }

    fn value(self) -> f64 {
        match self {
            Self::Float(value) => value.into(),
            Self::Integer(value) => value as f64,
        }
    }

    fn number(self) -> Number {
        match self {
            Self::Float(value) => Number::Float(value),
            Self::Integer(value) => Number::Integer(value),
        }
    }
}

fn bounds(stored: &[Stored], width: usize) -> (Vec<Number>, Vec<Number>) {
    let column = |i: usize| stored.iter().skip(i).step_by(width);
    let least = |a: &&Stored, b: &&Stored| a.value().total_cmp(&b.value());
    let min = (0..width).filter_map(|i| column(i).min_by(least)).map(|s| s.number()).collect();
    let max = (0..width).filter_map(|i| column(i).max_by(least)).map(|s| s.number()).collect();
    (min, max)
}

/// The use of a vertex attribute: its elements begin at multiples of four bytes.
pub(super) fn vertex_use(list: &Encoded<'_>) -> Use {
    Use::Vertices(list.shape.bytes(list.component).next_multiple_of(4))
}
