//! Small models made in code, so that everybody can try the program at once.

use std::f32::consts::{FRAC_PI_8, TAU};
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use menagerie::diag::{Issue, LossReport};
use menagerie::formats::{Format, Output, WriteOptions};
use menagerie::scene::{
    Animation, Camera, Channel, Extras, Image, Interpolation, Light, LightKind, Material, Mesh,
    MetallicRoughness, Node, NodeId, Primitive, Projection, Property, Scene, SceneRoot, Shading, Skin,
    Texture, TextureRef, Transform, check,
};

/// A picture of wooden planks, 16 by 16.
const PLANKS: &[u8] = include_bytes!("../assets/planks.png");

/// A sample model.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) scene: Scene,
}

/// All samples.
pub(crate) fn all() -> Vec<Sample> {
    vec![
        Sample { name: "crate", scene: wooden_crate() },
        Sample { name: "creature", scene: creature() },
        Sample { name: "lantern", scene: lantern() },
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

/// A tail of two bones that sways.
fn creature() -> Scene {
    const SIDES: u32 = 8;
    const RINGS: u32 = 7;
    let mut scene = Scene::default();
    let material = scene.materials.push(plain("skin", [0.2, 0.5, 0.15, 1.0]));
    let mut primitive = Primitive { material: Some(material), ..Primitive::default() };
    let (mut joints, mut weights, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..RINGS {
        let along = ring as f32 / (RINGS - 1) as f32;
        // The lower part hangs on the hip, the upper on the tip, and between they share.
        let tip = (along * 3.0 - 1.0).clamp(0.0, 1.0);
        for side in 0..=SIDES {
            let angle = side as f32 / SIDES as f32 * TAU;
            let outward = Vec3::new(angle.cos(), 0.0, angle.sin());
            let radius = 0.4 - 0.25 * along;
            primitive.positions.push((outward * radius + Vec3::Y * 2.0 * along).to_array());
            primitive.normals.push((outward + Vec3::Y * 0.125).normalize().to_array());
            uvs.push([side as f32 / SIDES as f32, 1.0 - along]);
            joints.push([0, 1, 0, 0]);
            weights.push([1.0 - tip, tip, 0.0, 0.0]);
        }
    }
    for (ring, side) in (0..RINGS - 1).flat_map(|ring| (0..SIDES).map(move |side| (ring, side))) {
        let at = ring * (SIDES + 1) + side;
        let above = at + SIDES + 1;
        primitive.indices.extend([at, above, at + 1, at + 1, above, above + 1]);
    }
    primitive.uvs = vec![uvs];
    primitive.joints = vec![joints];
    primitive.weights = vec![weights];
    let tip = scene.nodes.push(Node { name: "tip".to_owned(), transform: moved(Vec3::Y), ..Node::default() });
    let hip = scene.nodes.push(Node { name: "hip".to_owned(), children: vec![tip], ..Node::default() });
    let skin = scene.skins.push(Skin {
        name: "bones".to_owned(),
        joints: vec![hip, tip],
        inverse_binds: vec![Mat4::IDENTITY, Mat4::from_translation(-Vec3::Y)],
        skeleton: Some(hip),
        ..Skin::default()
    });
    let body = mesh_node(&mut scene, "body", primitive);
    scene.nodes[body].skin = Some(skin);
    scene.animations.push(sway(tip));
    show(&mut scene, vec![hip, body]);
    scene
}

fn sway(node: NodeId) -> Animation {
    let angles = [0.0, FRAC_PI_8, 0.0, -FRAC_PI_8, 0.0];
    let channel = Channel {
        node,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: (0..angles.len()).map(|key| key as f32 * 0.5).collect(),
        values: angles.iter().flat_map(|&angle| Quat::from_rotation_z(angle).to_array()).collect(),
        extras: Extras::default(),
    };
    Animation { name: "sway".to_owned(), channels: vec![channel], ..Animation::default() }
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

fn plain(name: &str, base_color: [f32; 4]) -> Material {
    let shading = MetallicRoughness { base_color, metallic: 0.0, ..MetallicRoughness::default() };
    Material { name: name.to_owned(), shading: Shading::MetallicRoughness(shading), ..Material::default() }
}

fn moved(translation: Vec3) -> Transform {
    Transform::Trs { translation, rotation: Quat::IDENTITY, scale: Vec3::ONE }
}

fn mesh_node(scene: &mut Scene, name: &str, primitive: Primitive) -> NodeId {
    let mesh =
        scene.meshes.push(Mesh { name: name.to_owned(), primitives: vec![primitive], ..Mesh::default() });
    scene.nodes.push(Node { name: name.to_owned(), mesh: Some(mesh), ..Node::default() })
}

fn show(scene: &mut Scene, roots: Vec<NodeId>) {
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene.default_scene = Some(0);
}

/// A box with flat sides: four vertices a side, each side with the whole picture.
fn cuboid(centre: Vec3, half: Vec3) -> Primitive {
    let mut primitive = Primitive::default();
    let mut uvs = Vec::new();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let normal = sign * Vec3::AXES[axis];
            let across = Vec3::AXES[(axis + 1) % 3];
            // Chosen so that across × up is the normal: counter-clockwise from outside.
            let up = normal.cross(across);
            let first = primitive.positions.len() as u32;
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                primitive.positions.push((centre + (normal + across * x + up * y) * half).to_array());
                primitive.normals.push(normal.to_array());
                uvs.push([(x + 1.0) / 2.0, (1.0 - y) / 2.0]);
            }
            primitive.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    primitive.uvs = vec![uvs];
    primitive
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
