//! Small models made in code, so that everybody can try the program at once.

mod beast;
mod chair;
mod room;
mod shapes;

use std::sync::Arc;

use glam::{Quat, Vec3};
use menagerie::diag::{Issue, LossReport};
use menagerie::formats::{Format, Output, WriteOptions};
use menagerie::scene::{
    Camera, Extras, Image, Light, LightKind, Material, MetallicRoughness, Node, Projection, Scene, Shading,
    Texture, TextureRef, Transform, check,
};
use shapes::{cuboid, mesh_node, moved, plain, show};

/// A picture of wooden planks, 16 by 16.
const PLANKS: &[u8] = include_bytes!("../../assets/planks.png");

/// A sample model.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) scene: Scene,
}

/// All samples.
pub(crate) fn all() -> Vec<Sample> {
    vec![
        Sample { name: "crate", scene: wooden_crate() },
        Sample { name: "creature", scene: beast::beast() },
        Sample { name: "lantern", scene: lantern() },
        Sample { name: "chair", scene: chair::chair() },
        Sample { name: "room", scene: room::room() },
    ]
}

/// A sample as a file of a format, with the pictures that belong beside it.
pub(crate) fn write(sample: &Sample, format: &Format) -> Result<(Output, LossReport), Issue> {
    let mut options = WriteOptions::default();
    options.stem = sample.name.to_owned();
    let mut losses = LossReport::new();
    let scene = check(&sample.scene)
        .map_err(|broken| Issue::new(&menagerie::convert::SCENE_RULE, broken.path, broken.message))?;
    let mut output = (format.lower)(scene, &options, &mut losses)?.write()?;
    if !format.capabilities.embeds_textures {
        let pictures = sample.scene.images.values();
        let files = pictures.filter_map(|image| Some((image.uri.clone()?, image.data.as_ref()?.to_vec())));
        output.beside.extend(files);
    }
    Ok((output, losses))
}

/// A box of planks, darker at the bottom by its vertex colours.
fn wooden_crate() -> Scene {
    let mut scene = Scene::default();
    let image = scene.images.push(Image {
        name: "planks".to_owned(),
        uri: Some("planks.png".to_owned()),
        data: Some(Arc::from(PLANKS)),
        mime: Some("image/png".to_owned()),
        ..Image::default()
    });
    let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    let material = scene.materials.push(Material {
        name: "wood".to_owned(),
        shading: Shading::MetallicRoughness(MetallicRoughness {
            base_color_texture: Some(TextureRef::new(texture)),
            metallic: 0.0,
            ..MetallicRoughness::default()
        }),
        ..Material::default()
    });
    let mut primitive = cuboid(Vec3::new(0.0, 0.5, 0.0), Vec3::splat(0.5));
    let shade = |position: &[f32; 3]| if position[1] < 0.5 { [0.25, 0.25, 0.25, 1.0] } else { [1.0; 4] };
    primitive.colors = vec![primitive.positions.iter().map(shade).collect()];
    primitive.material = Some(material);
    let root = mesh_node(&mut scene, "crate", primitive);
    show(&mut scene, vec![root]);
    scene
}

/// A lamp on a post, with sunlight and somebody who looks at it.
fn lantern() -> Scene {
    let mut scene = Scene::default();
    let iron = scene.materials.push(plain("iron", [0.1, 0.1, 0.12, 1.0]));
    let glass = scene.materials.push(Material { emissive: [1.0, 0.8, 0.4], ..plain("glass", [1.0; 4]) });
    let lamp = scene.lights.push(Light {
        name: "lamp".to_owned(),
        kind: LightKind::Point,
        color: [1.0, 0.8, 0.4],
        intensity: 40.0,
        range: Some(10.0),
        attenuation: None,
        extras: Extras::default(),
    });
    let sun = scene.lights.push(Light {
        name: "sun".to_owned(),
        kind: LightKind::Directional,
        color: [1.0; 3],
        intensity: 2.0,
        range: None,
        attenuation: None,
        extras: Extras::default(),
    });
    let camera = scene.cameras.push(Camera {
        name: "viewer".to_owned(),
        projection: Projection::Perspective { yfov: 0.8, aspect: Some(1.5), near: 0.1, far: Some(100.0) },
        extras: Extras::default(),
    });
    let mut post = cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.05, 1.0, 0.05));
    post.material = Some(iron);
    let mut housing = cuboid(Vec3::ZERO, Vec3::splat(0.15));
    housing.material = Some(glass);
    let housing = mesh_node(&mut scene, "housing", housing);
    scene.nodes[housing].transform = moved(Vec3::Y * 2.0);
    scene.nodes[housing].light = Some(lamp);
    let post = mesh_node(&mut scene, "post", post);
    scene.nodes[post].children = vec![housing];
    let sun = Node {
        name: "sun".to_owned(),
        transform: Transform::Trs {
            translation: Vec3::new(3.0, 4.0, 0.0),
            rotation: Quat::from_rotation_x(-0.75),
            scale: Vec3::ONE,
        },
        light: Some(sun),
        ..Node::default()
    };
    let viewer = Node {
        name: "viewer".to_owned(),
        transform: moved(Vec3::new(0.0, 1.25, 5.0)),
        camera: Some(camera),
        ..Node::default()
    };
    let roots = vec![post, scene.nodes.push(sun), scene.nodes.push(viewer)];
    show(&mut scene, roots);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use menagerie::scene::assert_scene;

    #[test]
    fn samples_keep_the_rules_and_face_outward() {
        for sample in all() {
            assert_scene(&sample.scene);
            for primitive in sample.scene.meshes.values().flat_map(|mesh| &mesh.primitives) {
                for triangle in primitive.triangles() {
                    let [a, b, c] = triangle.map(|i| Vec3::from_array(primitive.positions[i as usize]));
                    let normal = Vec3::from_array(primitive.normals[triangle[0] as usize]);
                    assert!((b - a).cross(c - a).dot(normal) > 0.0, "{}: {triangle:?}", sample.name);
                }
            }
        }
    }
}
