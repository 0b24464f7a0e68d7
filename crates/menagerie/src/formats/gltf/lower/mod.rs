//! From a Scene to a glTF file. What glTF has no place for goes into `extras`, so that reading it again gives the
//! same Scene; what other programs will see differently is reported.

mod animations;
mod buffers;
mod encode;
mod geometry;
mod instancing;
mod lights;
mod materials;
mod nodes;
mod textures;

use serde_json::{Value, json};

use super::extras::{GLTF, Lowering};
use super::json::{Asset, Document, Object};
use super::model::Model;
use super::notes::in_file::FileNote;
use super::notes::in_scene::FileKept;
use super::notes::{Note as _, exactly};
use super::{check, codes, extension, missing, uri};
use crate::diag::{Issue, LossReport};
use crate::formats::{MissingTextures, WriteOptions};
use crate::scene::{CheckedScene, Scene};
pub(super) use buffers::Bin;
use buffers::Packer;

/// Makes a file model of a Scene: a GLB, or a `.gltf` when that is the extension that is asked for.
pub fn lower(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Model, Issue> {
    let as_text = options.extension.eq_ignore_ascii_case("gltf");
    let mut lowerer = Lowerer {
        scene: scene.scene(),
        from_gltf: scene.extras.of(GLTF).is_some(),
        document: Document::default(),
        packer: Packer::default(),
        losses,
        pictures: match (as_text, options.embed_textures) {
            (false, None | Some(true)) | (true, Some(true)) => Pictures::Inside,
            (true, None) => Pictures::Beside,
            (_, Some(false)) => Pictures::Referred,
        },
        unreferred: !as_text
            && options.embed_textures != Some(false)
            && options.missing_textures != MissingTextures::Reference,
        stem: if options.stem.is_empty() { "model".to_owned() } else { options.stem.clone() },
        beside: Vec::new(),
        split: Default::default(),
        tables: instancing::Tables::of(scene.scene()),
        showing: nodes::Showing::of(scene.scene(), scene.extras.of(GLTF).is_some()),
    };
    lowerer.textures();
    lowerer.materials();
    lowerer.meshes();
    lowerer.cameras();
    lowerer.nodes();
    lowerer.animations();
    lowerer.root();
    let Lowerer { mut document, packer, beside, stem, .. } = lowerer;
    let bin = packer.finish(&mut document);
    declare_extensions(&mut document, scene.scene());
    let model = if as_text {
        let name = format!("{stem}.bin");
        if let Some(buffer) = document.buffers.first_mut() {
            buffer.uri = Some(uri::encode(&name));
        }
        Model::text(document, &bin, beside, name)
    } else {
        if bin.len() as u64 > u64::from(u32::MAX) - (64 << 20) {
            let message =
                format!("{} bytes of data do not fit into a GLB, which ends at four gigabytes", bin.len());
            return Err(Issue::new(&codes::GLB_LENGTH, "", message));
        }
        Model::glb(document, &bin)
    };
    model.map_err(|error| Issue::new(&codes::JSON_SYNTAX, "", format!("the JSON cannot be written: {error}")))
}

/// Where pictures go whose bytes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pictures {
    /// Into the buffer.
    Inside,
    /// Into files that are written with the model.
    Beside,
    /// Nowhere: somebody else writes the files.
    Referred,
}

/// A Scene on its way to a file.
struct Lowerer<'a> {
    scene: &'a Scene,
    /// Whether the Scene came from a glTF file: then its nodes are left as they are.
    from_gltf: bool,
    document: Document,
    packer: Packer<'a>,
    losses: &'a mut LossReport,
    pictures: Pictures,
    /// Whether nothing refers to pictures that are not there.
    unreferred: bool,
    stem: String,
    beside: Vec<(String, std::sync::Arc<[u8]>)>,
    /// For each node whose skinned mesh was split off, the new node.
    split: std::collections::BTreeMap<crate::scene::NodeId, u32>,
    /// The nodes that are written as tables of instances.
    tables: instancing::Tables,
    /// Which nodes show which meshes with which skins.
    showing: nodes::Showing,
}

impl Lowerer<'_> {
    fn root(&mut self) {
        let scene = self.scene;
        let mut lowering = Lowering::new(&scene.extras);
        self.lights(&mut lowering);
        lowering.put(&FileNote {
            ambient: scene.ambient.map(exactly),
            animations: self.empty_animations(),
            missing_pictures: self.unreferred.then(|| missing::take_out(&mut self.document)).flatten(),
            origin: self.from_gltf.then(|| GLTF.to_owned()),
        });
        let mut asset = Asset {
            version: "2.0".to_owned(),
            generator: Some(concat!("menagerie ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Asset::default()
        };
        if let Some(kept) = FileKept::of(&scene.extras).asset {
            asset.copyright = kept.copyright;
            asset.min_version = kept.min_version;
            asset.extras = kept.extras;
            asset.extensions = kept.extensions.unwrap_or_default();
        }
        self.document.asset = asset;
        self.document.scene = scene.default_scene.map(|scene| scene as u32);
        (self.document.extras, self.document.extensions) = lowering.finish();
    }
}

/// Lists the extensions that the document uses: first those of the source in their order, then the others.
fn declare_extensions(document: &mut Document, scene: &Scene) {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::to_value(&*document) {
        check::find_extensions(&value, &mut found);
    }
    let mut used: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
    let quantized = needs_quantization(document);
    if quantized && !used.iter().any(|name| name == extension::QUANTIZATION) {
        used.push(extension::QUANTIZATION.to_owned());
    }
    let kept = FileKept::of(&scene.extras);
    let mut declared: Vec<String> = Vec::new();
    for name in kept.extensions_used.into_iter().flatten().chain(used.iter().cloned()) {
        let needed = match name.as_str() {
            extension::QUANTIZATION => quantized,
            extension::INSTANCING => used.contains(&name),
            _ => true,
        };
        if needed && !declared.contains(&name) {
            declared.push(name);
        }
    }
    let required = kept.extensions_required.into_iter().flatten();
    let mut required: Vec<String> = required.filter(|name| used.contains(name)).collect();
    if quantized && !required.iter().any(|name| name == extension::QUANTIZATION) {
        required.push(extension::QUANTIZATION.to_owned());
    }
    document.extensions_used = declared;
    document.extensions_required = required;
}

/// Whether a vertex attribute is stored as only KHR_mesh_quantization allows.
fn needs_quantization(document: &Document) -> bool {
    let primitives = document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    primitives.flat_map(|primitive| &primitive.attributes.0).any(|(semantic, accessor)| {
        let Some(accessor) = document.accessors.get(*accessor as usize) else { return false };
        let (component, normalized) = (accessor.component_type, accessor.normalized.unwrap_or(false));
        match semantic.as_str() {
            "POSITION" | "NORMAL" | "TANGENT" => component != 5126,
            name if name.starts_with("TEXCOORD_") => {
                !(component == 5126 || (normalized && matches!(component, 5121 | 5123)))
            }
            _ => false,
        }
    })
}

/// An object out of pairs.
fn object<const N: usize>(pairs: [(&str, Value); N]) -> Object {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A finite float as the shortest number that gives the same float again.
fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, |value| json!(value))
}

fn numbers(values: &[f32]) -> Value {
    values.iter().copied().map(number).collect()
}
