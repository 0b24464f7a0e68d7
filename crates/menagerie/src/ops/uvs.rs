//! Texture coordinates upside down.

use crate::scene::Scene;

/// Turns all texture coordinates upside down: v becomes 1 − v.
pub fn flip_v(scene: &mut Scene) {
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.uvs.iter_mut().flatten().for_each(|uv| uv[1] = 1.0 - uv[1]);
        // Displacements turn round with what they displace.
        let targets = primitive.targets.iter_mut().flat_map(|target| &mut target.uvs);
        targets.flatten().for_each(|uv| uv[1] = -uv[1]);
    }
}
