//! OpenGL's numbers for how pictures are sampled.

use crate::scene::{Filter, Wrap};

/// OpenGL's numbers of filters for magnifying.
pub(super) const MAG_FILTERS: [(u32, Filter); 2] = [(9728, Filter::Nearest), (9729, Filter::Linear)];
/// OpenGL's numbers of filters for minifying.
pub(super) const MIN_FILTERS: [(u32, Filter); 6] = [
    (9728, Filter::Nearest),
    (9729, Filter::Linear),
    (9984, Filter::NearestMipmapNearest),
    (9985, Filter::LinearMipmapNearest),
    (9986, Filter::NearestMipmapLinear),
    (9987, Filter::LinearMipmapLinear),
];
/// OpenGL's numbers of what is beyond the edge.
pub(super) const WRAPS: [(u32, Wrap); 3] =
    [(10497, Wrap::Repeat), (33648, Wrap::Mirror), (33071, Wrap::Clamp)];
