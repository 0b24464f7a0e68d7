//! The Scene without its long lists, as JSON: what the page builds its picture and its lists from.

use menagerie::formats::{PrimitiveOrigin, Provenance, frames_per_second};
use menagerie::scene::{
    AlphaMode, Animation, Blend, Camera, Extras, Filter, Image, Interpolation, Light, LightKind, Material,
    Mesh, Node, Primitive, Projection, Sampler, Scene, Shading, TextureRef, Topology, Transform, Wrap,
};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::Document;

#[wasm_bindgen]
impl Document {
    /// The Scene without its long lists, as JSON; null when there is none.
    #[must_use]
    pub fn scene(&self) -> String {
        self.scene.as_ref().map_or(Value::Null, |scene| scene_json(scene, &self.provenance)).to_string()
    }
}

fn scene_json(scene: &Scene, from: &Provenance) -> Value {
    let parents = menagerie::scene::parents(scene);
    let path = |list: &[String], index: usize| list.get(index).cloned().unwrap_or_default();
    let nodes = scene.nodes.values().enumerate().map(|(i, node)| {
        let parent = parents.get(i).copied().flatten().map(|id| id.index());
        node_json(node, parent, path(&from.nodes, i))
    });
    let meshes = scene
        .meshes
        .values()
        .enumerate()
        .map(|(i, mesh)| mesh_json(mesh, from.meshes.get(i).map(Vec::as_slice).unwrap_or_default()));
    let scenes = scene.scenes.iter().map(|root| {
        json!({ "name": root.name, "roots": root.roots.iter().map(|id| id.index()).collect::<Vec<_>>(),
            "extras": extras(&root.extras) })
    });
    let skins = scene.skins.values().map(|skin| {
        json!({ "name": skin.name, "joints": skin.joints.iter().map(|id| id.index()).collect::<Vec<_>>(),
            "extras": extras(&skin.extras) })
    });
    let materials =
        scene.materials.values().enumerate().map(|(i, m)| material_json(m, path(&from.materials, i)));
    let textures = scene.textures.values().map(|texture| {
        json!({ "name": texture.name, "image": texture.image.map(|id| id.index()), "sampler": texture.sampler.as_ref().map(sampler_json) })
    });
    let cameras = scene.cameras.values().enumerate().map(|(i, c)| camera_json(c, path(&from.cameras, i)));
    let lights = scene.lights.values().enumerate().map(|(i, l)| light_json(l, path(&from.lights, i)));
    let animations =
        scene.animations.iter().enumerate().map(|(i, a)| animation_json(a, path(&from.animations, i)));
    json!({
        "scenes": scenes.collect::<Vec<_>>(),
        "shown": scene.default_scene.unwrap_or(0),
        "nodes": nodes.collect::<Vec<_>>(),
        "meshes": meshes.collect::<Vec<_>>(),
        "skins": skins.collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "textures": textures.collect::<Vec<_>>(),
        "images": scene.images.values().map(image_json).collect::<Vec<_>>(),
        "cameras": cameras.collect::<Vec<_>>(),
        "lights": lights.collect::<Vec<_>>(),
        "animations": animations.collect::<Vec<_>>(),
        "ambient": scene.ambient,
        "extras": extras(&scene.extras),
    })
}

/// What only one format knows, shortened: notes can be as long as the model.
fn extras(extras: &Extras) -> Value {
    const MOST: usize = 4000;
    let all: Map<String, Value> = extras
        .iter()
        .map(|(key, value)| {
            let text = value.to_string();
            let short = match text.len() <= MOST {
                true => value.clone(),
                false => {
                    format!("{}… ({} characters)", text.chars().take(400).collect::<String>(), text.len())
                        .into()
                }
            };
            (key.to_owned(), short)
        })
        .collect();
    if all.is_empty() { Value::Null } else { all.into() }
}

fn node_json(node: &Node, parent: Option<usize>, path: String) -> Value {
    let mut value = json!({
        "name": node.name,
        "parent": parent,
        "children": node.children.iter().map(|id| id.index()).collect::<Vec<_>>(),
        "mesh": node.mesh.map(|id| id.index()),
        "skin": node.skin.map(|id| id.index()),
        "camera": node.camera.map(|id| id.index()),
        "light": node.light.map(|id| id.index()),
        "weights": node.weights,
        "visible": node.visible,
        "lods": node.lods.iter().map(|lod| json!({ "node": lod.node.index(), "distance": lod.distance })).collect::<Vec<_>>(),
        "path": path,
        "extras": extras(&node.extras),
    });
    let place = match node.transform {
        Transform::Trs { translation, rotation, scale } => {
            json!({ "t": translation.to_array(), "r": rotation.to_array(), "s": scale.to_array() })
        }
        Transform::Matrix(matrix) => json!({ "m": matrix.to_cols_array() }),
    };
    if let (Some(fields), Value::Object(place)) = (value.as_object_mut(), place) {
        fields.extend(place);
    }
    value
}

fn mesh_json(mesh: &Mesh, origins: &[PrimitiveOrigin]) -> Value {
    let primitives = mesh.primitives.iter().enumerate().map(|(i, p)| primitive_json(p, origins.get(i)));
    json!({
        "name": mesh.name, "weights": mesh.weights, "targets": mesh.target_count(), "target_names": mesh.target_names,
        "primitives": primitives.collect::<Vec<_>>(), "extras": extras(&mesh.extras),
    })
}

fn primitive_json(primitive: &Primitive, origin: Option<&PrimitiveOrigin>) -> Value {
    let topology = match primitive.topology {
        Topology::Triangles => "triangles",
        Topology::Lines => "lines",
        Topology::LineStrip => "line-strip",
        Topology::LineLoop => "line-loop",
        Topology::Points => "points",
    };
    json!({
        "topology": topology,
        "vertices": primitive.positions.len(),
        "indices": primitive.indices.len(),
        "normals": !primitive.normals.is_empty(),
        "tangents": !primitive.tangents.is_empty(),
        "uvs": primitive.uvs.len(),
        "colors": primitive.colors.len(),
        "joints": primitive.joints.len(),
        "custom": primitive.custom.keys().collect::<Vec<_>>(),
        "material": primitive.material.map(|id| id.index()),
        "path": origin.map(|origin| origin.path.clone()).unwrap_or_default(),
        "vertex_path": origin.map(|origin| origin.vertices.path.clone()).unwrap_or_default(),
        "triangle_path": origin.map(|origin| origin.triangles.path.clone()).unwrap_or_default(),
        "extras": extras(&primitive.extras),
    })
}

fn texture_json(texture: Option<&TextureRef>) -> Value {
    texture.map_or(Value::Null, |texture| {
        let transform = texture
            .transform
            .map(|t| json!({ "offset": t.offset, "rotation": t.rotation, "scale": t.scale }));
        json!({ "texture": texture.texture.index(), "set": texture.shown_set(), "transform": transform })
    })
}

fn material_json(material: &Material, path: String) -> Value {
    let (alpha, cutoff) = match material.alpha {
        AlphaMode::Opaque => ("opaque", None),
        AlphaMode::Mask { cutoff } => ("mask", Some(cutoff)),
        AlphaMode::Blend(Blend::Alpha) => ("blend", None),
        AlphaMode::Blend(Blend::Additive) => ("add", None),
        AlphaMode::Blend(Blend::Multiply) => ("multiply", None),
    };
    let shading = match &material.shading {
        Shading::MetallicRoughness(m) => json!({
            "kind": "pbr", "metallic": m.metallic, "roughness": m.roughness,
            "metallic_roughness_texture": texture_json(m.metallic_roughness_texture.as_ref()),
        }),
        Shading::Phong(p) => json!({
            "kind": "phong", "ambient": p.ambient, "specular": p.specular, "shininess": p.shininess,
            "specular_texture": texture_json(p.specular_texture.as_ref()),
            "bump_texture": texture_json(p.bump_texture.as_ref().map(|(texture, _)| texture)),
            "opacity_texture": texture_json(p.opacity_texture.as_ref()),
        }),
        Shading::SpecularGlossiness(s) => {
            json!({ "kind": "specular-glossiness", "specular": s.specular, "glossiness": s.glossiness })
        }
    };
    json!({
        "name": material.name,
        "color": material.base_color(),
        "texture": texture_json(material.base_color_texture()),
        "shading": shading,
        "emissive": material.emissive,
        "emissive_texture": texture_json(material.emissive_texture.as_ref()),
        "normal_texture": texture_json(material.normal_texture.as_ref().map(|(texture, _)| texture)),
        "normal_scale": material.normal_texture.as_ref().map(|(_, scale)| scale),
        "occlusion_texture": texture_json(material.occlusion_texture.as_ref().map(|(texture, _)| texture)),
        "alpha": alpha,
        "cutoff": cutoff,
        "double_sided": material.double_sided,
        "unlit": material.unlit,
        "path": path,
        "extras": extras(&material.extras),
    })
}

fn sampler_json(sampler: &Sampler) -> Value {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Mirror => "mirror",
        Wrap::Clamp => "clamp",
    };
    let nearest = |filter: Option<Filter>| {
        matches!(filter, Some(Filter::Nearest | Filter::NearestMipmapNearest | Filter::NearestMipmapLinear))
    };
    json!({ "u": wrap(sampler.wrap_u), "v": wrap(sampler.wrap_v), "nearest": nearest(sampler.magnify) })
}

fn image_json(image: &Image) -> Value {
    json!({
        "name": image.name, "uri": image.uri, "mime": image.mime, "bytes": image.data.as_ref().map(|data| data.len()),
        "extras": extras(&image.extras),
    })
}

fn camera_json(camera: &Camera, path: String) -> Value {
    let projection = match camera.projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            json!({ "kind": "perspective", "yfov": yfov, "aspect": aspect, "near": near, "far": far })
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            json!({ "kind": "orthographic", "xmag": xmag, "ymag": ymag, "near": near, "far": far })
        }
    };
    json!({ "name": camera.name, "projection": projection, "path": path, "extras": extras(&camera.extras) })
}

fn light_json(light: &Light, path: String) -> Value {
    let (kind, inner, outer) = match light.kind {
        LightKind::Point => ("point", None, None),
        LightKind::Spot { inner, outer } => ("spot", Some(inner), Some(outer)),
        LightKind::Directional => ("directional", None, None),
    };
    json!({
        "name": light.name, "kind": kind, "inner": inner, "outer": outer, "color": light.color, "intensity": light.intensity,
        "range": light.range, "attenuation": light.attenuation, "path": path, "extras": extras(&light.extras),
    })
}

fn animation_json(animation: &Animation, path: String) -> Value {
    let channels = animation.channels.iter().map(|channel| {
        let interpolation = match channel.interpolation {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
        };
        json!({
            "node": channel.node.index(), "property": channel.property.name(), "interpolation": interpolation,
            "keys": channel.times.len(), "width": channel.width(),
        })
    });
    json!({
        "name": animation.name, "seconds": animation.seconds(), "fps": frames_per_second(animation),
        "channels": channels.collect::<Vec<_>>(), "path": path, "extras": extras(&animation.extras),
    })
}
