//! Triangle strips and fans as lists of triangles, and back where a list is still exactly that.

use crate::ops::{triangles_of_fan, triangles_of_strip};

/// The mode of triangle strips.
pub(super) const STRIP: u32 = 5;
/// The mode of triangle fans.
pub(super) const FAN: u32 = 6;

/// The triangles of a strip or a fan.
pub(super) fn to_triangles(mode: u32, indices: &[u32]) -> Vec<u32> {
    if mode == FAN { triangles_of_fan(indices) } else { triangles_of_strip(indices) }.into_flattened()
}

/// The strip or fan that gives exactly these triangles, if there is one.
pub(super) fn from_triangles(mode: u32, triangles: &[u32]) -> Option<Vec<u32>> {
    let corners = triangles.as_chunks::<3>().0;
    let [first, _, third] = corners.first().copied()?;
    let mut indices = Vec::with_capacity(corners.len() + 2);
    if mode == FAN {
        indices.extend([third, first]);
        indices.extend(corners.iter().map(|[_, b, _]| *b));
    } else {
        indices.extend(corners.first()?.iter().take(2));
        indices.extend(corners.iter().enumerate().map(|(i, [_, b, c])| if i % 2 == 0 { *c } else { *b }));
    }
    (to_triangles(mode, &indices) == triangles).then_some(indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_come_back() {
        assert_eq!(to_triangles(STRIP, &[0, 1, 2, 3, 4]), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
        assert_eq!(to_triangles(FAN, &[9, 1, 2, 3]), [1, 2, 9, 2, 3, 9]);
        for mode in [STRIP, FAN] {
            let indices = vec![4, 0, 3, 3, 1, 2, 7];
            assert_eq!(from_triangles(mode, &to_triangles(mode, &indices)), Some(indices));
            assert_eq!(from_triangles(mode, &[0, 1, 2, 5, 6, 7]), None);
            assert_eq!(from_triangles(mode, &[]), None);
        }
    }
}
