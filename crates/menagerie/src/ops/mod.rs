//! Changes of a Scene: Scene in, Scene out.

mod normals;
mod scale;

pub use normals::{face_normal, smooth_normals};
pub use scale::scale;
