//! Changes of a Scene: Scene in, Scene out.

mod material;
mod normals;
mod scale;
mod tangents;
mod weights;

pub use material::{metallic_roughness_to_phong, phong_to_metallic_roughness};
pub use normals::{face_normal, smooth_normals};
pub use scale::scale;
pub use tangents::tangents;
pub use weights::{WeightRepair, normalize_weights};
