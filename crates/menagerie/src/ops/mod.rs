//! Changes of a Scene: Scene in, Scene out, each with a report of what it changed.
//!
//! What a format's `lower` needs to make a Scene fit, and what `menagerie optimize` offers, is here once. Every
//! operation takes any Scene that keeps the rules of [`crate::scene`] and leaves one that keeps them: triangles without
//! area, empty meshes and coordinates near the end of what a float holds give no panic and no NaN. Time grows in
//! proportion to the size of the Scene, but for a logarithm. [`Op`] names the operations that apply to a whole Scene,
//! and `docs/ops.md` says what each of them guarantees.

mod apply;
mod bake;
mod clean;
mod costs;
mod creases;
mod distance;
mod join;
mod keys;
#[cfg(feature = "simplify")]
mod levels;
mod material;
mod measure;
mod mikktspace;
mod morph;
mod normals;
#[cfg(feature = "simplify")]
mod order;
mod remove;
mod scale;
mod sets;
#[cfg(feature = "simplify")]
mod simplify;
mod size;
mod split;
mod strips;
mod tangents;
mod triangulate;
mod turn;
mod unmirror;
mod unshear;
mod uvs;
mod weights;
mod weld;

pub use apply::{Op, OpReport};
pub use bake::{Baked, Moment, WhichAnimation, bake_pose};
pub use clean::{Cleaned, clean};
pub use creases::{MadeNormals, Smoothing, make_normals, make_primitive_normals};
pub use distance::{Corners, SurfaceDistance, distances_to_surface, surface_distance};
pub use join::{Joined, join};
pub use keys::{ChangedKeys, KeyTolerance, reduce_keys, resample, sparse_keys};
#[cfg(feature = "simplify")]
pub use levels::{MadeLevel, make_levels};
pub use material::{metallic_roughness_to_phong, phong_to_metallic_roughness, to_painted_phong, to_phong};
pub use measure::{Measure, measure};
pub use mikktspace::{MadeTangents, make_primitive_tangents, make_tangents};
pub use morph::bake_morphs;
pub use normals::{face_normal, restore_lengths, set_raw_normals, smooth_normals};
#[cfg(feature = "simplify")]
pub use order::{Ordered, order};
pub use remove::remove_nodes;
pub use scale::scale;
#[cfg(feature = "simplify")]
pub use simplify::{SimplifiedMesh, SimplifyGoal, simplify, simplify_meshes};
pub use size::{SceneSize, cache_misses, drawn};
pub use split::{PieceLimit, Split, compact, select, split, split_by_joint_limit, split_by_vertex_limit};
pub use strips::{lines_of_strips, triangles_of_fan, triangles_of_strip};
pub use tangents::tangents;
pub use triangulate::{cut_quad, triangulate};
pub use turn::{Turned, turn_axes};
pub use unmirror::{Unmirrored, unmirror};
pub use unshear::unshear;
pub use uvs::flip_v;
pub use weights::{
    LimitedWeights, WeightRepair, heaviest_joints, limit_weights, normalize_weights, vertex_weights,
};
#[cfg(feature = "dgl2")]
pub(crate) use weld::{Keys, Mixer, Numbered, number};
pub use weld::{WeldTolerance, Welded, Welder, first_equal, weld, weld_near, weld_primitive};
