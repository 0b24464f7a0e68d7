//! Builds a Scene by hand and writes it as GLB and BMD: `cargo run --example build -- folder`.

use menagerie::Scene;
use menagerie::scene::{Mesh, Node, Primitive, SceneRoot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let scene = pyramid();
    for name in ["pyramid.glb", "pyramid.bmd"] {
        let losses = scene.save(folder.join(name))?;
        println!("{name}: {} losses", losses.len());
        for loss in losses.iter() {
            println!("  {} {}: {}", loss.code(), loss.kind, loss.message);
        }
    }
    Ok(())
}

/// A pyramid of four triangles and a square base, standing on the ground.
fn pyramid() -> Scene {
    let mut scene = Scene::default();
    let primitive = Primitive {
        positions: vec![
            [-1.0, 0.0, -1.0],
            [1.0, 0.0, -1.0],
            [1.0, 0.0, 1.0],
            [-1.0, 0.0, 1.0],
            [0.0, 1.5, 0.0],
        ],
        // Counter-clockwise as seen from outside.
        indices: vec![0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0, 0, 1, 2, 0, 2, 3],
        ..Primitive::default()
    };
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let node = scene.nodes.push(Node { name: "pyramid".to_owned(), mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
    scene
}
