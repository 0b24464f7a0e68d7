//! Texture coordinates for formats whose textures use one set, as it is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::scene::{Image, ImageId, Material, MaterialId, MeshId, NodeId, Primitive, Scene, TextureRef};

/// The texture coordinates of a primitive as its main texture is placed: from the set that it uses, moved, turned and
/// scaled as it is. The main texture is that of the colour, else the first of the material.
pub struct Placed<'a> {
    /// The coordinates; empty where there are none.
    pub uvs: Cow<'a, [[f32; 2]]>,
    /// Which set of the primitive they were.
    pub set: usize,
    /// Whether they are not those of the first set.
    pub moved: bool,
}

/// The coordinates that a primitive's main texture shows.
pub fn placed_uvs<'a>(scene: &Scene, primitive: &'a Primitive) -> Placed<'a> {
    let first = || Placed {
        uvs: Cow::Borrowed(primitive.uvs.first().map(Vec::as_slice).unwrap_or_default()),
        set: 0,
        moved: false,
    };
    let material = primitive.material.and_then(|material| scene.materials.get(material));
    let main =
        material.and_then(|material| material.base_color_texture().or_else(|| material.textures().next()));
    let Some(texture) = main else { return first() };
    let set = texture.shown_set() as usize;
    let transform = texture.transform.filter(|transform| !transform.is_none());
    if set == 0 && transform.is_none() {
        return first();
    }
    let Some(uvs) = primitive.uvs.get(set) else { return first() };
    let uvs = match transform {
        Some(transform) => Cow::Owned(uvs.iter().map(|uv| transform.apply(*uv)).collect()),
        None => Cow::Borrowed(uvs.as_slice()),
    };
    Placed { uvs, set, moved: true }
}

/// Whether a use of a texture has something that a format has no place for that takes the main texture's placement from
/// the coordinates: another placement than the main texture's.
pub fn is_placed_otherwise(texture: &TextureRef, main: Option<&TextureRef>) -> bool {
    let placement = |texture: &TextureRef| {
        (
            texture.shown_set(),
            texture.transform.filter(|t| !t.is_none()).map(|t| (t.offset, t.rotation, t.scale)),
        )
    };
    main.map_or((0, None), placement) != placement(texture)
}

/// How many pictures have names that formats with file names only lose: those of colour, glow and normal textures of
/// what is shown.
pub fn picture_names(scene: &Scene, shown: &[NodeId], kept: impl Fn(&Image) -> bool) -> usize {
    let plain = |material: &'_ Material| -> Vec<TextureRef> {
        let normal = material.normal_texture.as_ref().map(|(texture, _)| texture);
        let all = [material.base_color_texture(), material.emissive_texture.as_ref(), normal];
        all.into_iter().flatten().cloned().collect()
    };
    picture_names_of(scene, shown, plain, kept)
}

/// The same for those textures of a material that a format has.
pub fn picture_names_of(
    scene: &Scene,
    shown: &[NodeId],
    textures: impl Fn(&Material) -> Vec<TextureRef>,
    kept: impl Fn(&Image) -> bool,
) -> usize {
    let materials = used_materials(scene, shown).into_iter().filter_map(|id| scene.materials.get(id));
    let images = materials.flat_map(textures);
    let images = images.filter_map(|texture| scene.textures.get(texture.texture)?.image);
    let images: BTreeSet<ImageId> = images.collect();
    images
        .into_iter()
        .filter_map(|id| scene.images.get(id))
        .filter(|image| !image.name.is_empty() && kept(image))
        .count()
}

/// The materials of the triangles that some nodes show.
pub fn used_materials(scene: &Scene, shown: &[NodeId]) -> BTreeSet<MaterialId> {
    let meshes: BTreeSet<MeshId> = shown.iter().filter_map(|id| scene.nodes.get(*id)?.mesh).collect();
    let meshes = meshes.into_iter().filter_map(|id| scene.meshes.get(id));
    let drawn =
        meshes.flat_map(|mesh| &mesh.primitives).filter(|primitive| !primitive.triangles().is_empty());
    drawn.filter_map(|primitive| primitive.material).collect()
}
