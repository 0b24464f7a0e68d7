//! A picture of a textured model at 1024², from file to PNG, against F3D.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use menagerie::diag::LossReport;
use menagerie::formats::{Format, WriteOptions};
use menagerie::scene::{
    Image, Material, Mesh, MetallicRoughness, Node, Primitive, Scene, SceneRoot, Shading, Texture,
    TextureRef, check,
};
use menagerie_render::{Picture, png};

use super::{Bench, Peer, Row, fastest, python_with};

pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let f3d = python_with("f3d", &bench.folder);
    let mut rows = Vec::new();
    for (name, side) in [("100 k", 224u32), ("1 M", 708)] {
        let model = bench.folder.join(format!("hills-{side}.glb"));
        std::fs::write(&model, hills(side)?).with_context(|| format!("cannot write {}", model.display()))?;
        let out = bench.folder.join("menagerie.png");
        let ours = fastest(|| {
            let mut command = Command::new(&bench.menagerie);
            command.arg("render").arg(&model).arg("-o").arg(&out).args(["--size", "1024"]);
            command
        })?;
        let peer = match &f3d {
            Ok(python) => measure(python, &model, &bench.folder),
            Err(reason) => Err(reason.clone()),
        };
        rows.push(Row {
            work: format!("picture at 1024² of {name} textured triangles"),
            ours,
            peer: match peer {
                Ok(seconds) => Peer::Took { name: "f3d".to_owned(), seconds },
                Err(reason) => Peer::Skipped { name: "f3d".to_owned(), reason },
            },
        });
    }
    Ok(rows)
}

/// What F3D is asked to do: open the model and save a picture of it, without a window.
const SCRIPT: &str = "import sys, f3d\n\
    engine = f3d.Engine.create(True)\n\
    engine.window.size = 1024, 1024\n\
    engine.scene.add(sys.argv[1])\n\
    engine.window.render_to_image().save(sys.argv[2])\n";

fn measure(python: &Path, model: &Path, folder: &Path) -> Result<f64, String> {
    let script = folder.join("f3d_picture.py");
    std::fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
    let make = || {
        let mut command = Command::new(python);
        command.arg(&script).arg(model).arg(folder.join("f3d.png"));
        command
    };
    fastest(make).map_err(|error| format!("{error:#}").lines().last().unwrap_or_default().to_owned())
}

/// Hills of twice `side` · `side` triangles with a picture on them, as GLB.
pub(super) fn hills(side: u32) -> Result<Vec<u8>> {
    let mut scene = Scene::default();
    let mut picture = Picture::new(1024, 1024, [0; 4])?;
    for (i, pixel) in picture.pixels_mut().iter_mut().enumerate() {
        let (x, y) = (i % 1024, i / 1024);
        *pixel = [(x / 4) as u8, (y / 4) as u8, ((x ^ y) & 255) as u8, 255];
    }
    let image = scene.images.push(Image {
        data: Some(png(&picture)?.into()),
        mime: Some("image/png".to_owned()),
        ..Image::default()
    });
    let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    let shading = MetallicRoughness {
        base_color_texture: Some(TextureRef::new(texture)),
        metallic: 0.0,
        ..MetallicRoughness::default()
    };
    let material = Material { shading: Shading::MetallicRoughness(shading), ..Material::default() };
    let mut primitive = Primitive { material: Some(scene.materials.push(material)), ..Primitive::default() };
    let mut uvs = Vec::new();
    for (x, z) in (0..=side).flat_map(|z| (0..=side).map(move |x| (x, z))) {
        let (u, v) = (x as f32 / side as f32, z as f32 / side as f32);
        let height = 0.08 * ((u * 25.0).sin() + (v * 31.0).cos());
        let (along_u, along_v) = (2.0 * (u * 25.0).cos(), -2.48 * (v * 31.0).sin());
        let length = (along_u * along_u + along_v * along_v + 1.0).sqrt();
        primitive.positions.push([u, height, v]);
        primitive.normals.push([-along_u / length, 1.0 / length, -along_v / length]);
        uvs.push([u, v]);
    }
    for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
        let at = z * (side + 1) + x;
        let below = at + side + 1;
        primitive.indices.extend([at, below, at + 1, at + 1, below, below + 1]);
    }
    primitive.uvs = vec![uvs];
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let node = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
    let Some(glb) = Format::by_id("gltf") else { bail!("this build has no glTF") };
    let mut options = WriteOptions::default();
    options.extension = "glb".to_owned();
    let lowered = (glb.lower)(check(&scene)?, &options, &mut LossReport::new())?;
    Ok(lowered.write()?.bytes)
}
