//! Changes of a Scene: Scene in, Scene out.

mod material;
mod morph;
mod normals;
mod scale;
mod split;
mod tangents;
mod uvs;
mod weights;

pub use material::{metallic_roughness_to_phong, phong_to_metallic_roughness, to_phong};
pub use morph::bake_morphs;
pub use normals::{face_normal, smooth_normals};
pub use scale::scale;
pub use split::{select, split_by_vertex_limit};
pub use tangents::tangents;
pub use uvs::flip_v;
pub use weights::{WeightRepair, normalize_weights};
