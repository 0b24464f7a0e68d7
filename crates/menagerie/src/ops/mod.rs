//! Changes of a Scene: Scene in, Scene out.

mod morph;
mod normals;
mod scale;
mod shading;
mod split;
mod tangents;
mod uvs;

pub use morph::bake_morphs;
pub use normals::{face_normal, smooth_normals};
pub use scale::scale;
pub use shading::to_phong;
pub use split::{select, split_by_vertex_limit};
pub use tangents::tangents;
pub use uvs::flip_v;
