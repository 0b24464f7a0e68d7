//! Changes of a Scene: Scene in, Scene out.

mod distance;
mod material;
mod measure;
mod morph;
mod normals;
mod remove;
mod scale;
#[cfg(feature = "simplify")]
mod simplify;
mod split;
mod tangents;
mod triangulate;
mod uvs;
mod weights;

pub use distance::{Corners, SurfaceDistance, surface_distance};
pub use material::{metallic_roughness_to_phong, phong_to_metallic_roughness, to_phong};
pub use measure::{Measure, measure};
pub use morph::bake_morphs;
pub use normals::{face_normal, restore_lengths, set_raw_normals, smooth_normals};
pub use remove::remove_nodes;
pub use scale::scale;
#[cfg(feature = "simplify")]
pub use simplify::{MadeLevel, make_levels, simplify};
pub use split::{select, split_by_vertex_limit};
pub use tangents::tangents;
pub use triangulate::{cut_quad, triangulate};
pub use uvs::flip_v;
pub use weights::{WeightRepair, normalize_weights};
