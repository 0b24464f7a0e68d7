//! The pictures of a model on their way: looked up, made into a kind that the target can use, and given files of their
//! own where the target does not hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem;

use super::ConvertOptions;
use crate::bytes::{ByteMap, Limits, MapKind, MapNode, Span};
use crate::diag::{Aspect, Issue, Loss, LossKind, LossReport};
use crate::formats::{FileModel, Files, Format, MissingTextures, Purpose, ReadOptions, layout_within};
use crate::pictures::Kind;
use crate::scene::{Image, Scene};

/// A picture that a model names, and whether it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureStatus {
    /// The index of the image in the Scene.
    pub image: usize,
    /// Its name as the model has it.
    pub name: String,
    /// Whether its bytes are there.
    pub found: bool,
    /// The places that were tried.
    pub tried: Vec<String>,
    /// Why it was not found.
    pub reason: String,
}

/// The bytes of a picture.
type Picture = Arc<[u8]>;

/// The key of what menagerie itself notes about an element.
const OWN: &str = "menagerie";
/// On an image: its bytes stand in for a picture that was not there.
const PLACEHOLDER: &str = "placeholder";

/// Looks up the pictures that the model names and keeps their bytes in the Scene.
pub fn resolve_textures(scene: &mut Scene, files: &dyn Files) -> Vec<TextureStatus> {
    resolve_textures_within(scene, files, &Limits::default())
}

/// What a picture takes that is not there: where it was looked for, what is said of it, and what stands in for it.
const MISSING: u64 = 6 * 1024;

/// The same as a step of a job: the pictures count to what it reads.
pub fn resolve_textures_within(scene: &mut Scene, files: &dyn Files, limits: &Limits) -> Vec<TextureStatus> {
    let mut statuses = Vec::new();
    for (index, image) in scene.images.values_mut().enumerate() {
        let Some(name) = image.uri.clone() else { continue };
        if image.extras.get(OWN, PLACEHOLDER).is_some() {
            (image.data, image.mime) = (None, None);
            image.extras.remove(OWN);
        }
        let mut status =
            TextureStatus { image: index, name, found: true, tried: Vec::new(), reason: String::new() };
        if image.data.is_none() {
            match files.open(&status.name) {
                Ok(data) => {
                    limits.reads_more(data.len());
                    image.data = Some(data);
                }
                Err(missing) => {
                    // What was looked for is told as long as there is room for it, here and in the issues that follow.
                    let room = limits.take(MISSING).is_ok();
                    status = TextureStatus {
                        found: false,
                        tried: if room { missing.tried } else { Vec::new() },
                        reason: missing.reason,
                        ..status
                    };
                }
            }
        }
        if image.mime.is_none() {
            let kind = image.data.as_deref().and_then(|data| Kind::of(data, ""));
            image.mime = kind.map(|kind| kind.mime().to_owned());
        }
        statuses.push(status);
    }
    statuses
}

/// A warning for each picture that is not there, at the bytes of its name in the file; a remark where the file only
/// notes its name, so that nothing goes without it. Where the limits have no room for what every byte of the file is, the
/// names stay without a place, and one more issue says so.
pub fn missing_pictures(
    model: &dyn FileModel,
    bytes: &[u8],
    textures: &[TextureStatus],
    limits: &Limits,
) -> Vec<Issue> {
    let missing = || textures.iter().filter(|texture| !texture.found);
    if missing().next().is_none() {
        return Vec::new();
    }
    let map = layout_within(model, limits);
    let places = map.as_ref().ok().map(|map| Places::new(bytes, map));
    let noted = model.noted_pictures();
    let warn = |(i, texture): (usize, &TextureStatus)| {
        let why = if texture.reason.is_empty() { "there is no such file" } else { &texture.reason };
        let message = format!("the picture {} was not found: {why}", texture.name);
        let places = places.as_ref().filter(|_| i < MOST_FOUND);
        let found = places.and_then(|places| places.find(&texture.name));
        let (path, span) = found.unwrap_or_else(|| (String::new(), Span::new(0, bytes.len())));
        let is_noted = noted.contains(&texture.name);
        let code = if is_noted { &super::PICTURE_NOTED } else { &super::PICTURE_MISSING };
        Issue::new(code, path, message).at(span)
    };
    let mut issues: Vec<Issue> = missing().enumerate().map(warn).collect();
    issues.extend(map.err().map(Issue::from));
    issues
}

/// The bytes of so many names are looked for: each is a search through the file.
const MOST_FOUND: usize = 100;

/// Where names stand in a file.
struct Places<'a> {
    bytes: &'a [u8],
    map: &'a ByteMap,
    /// The data that is packed in it: where it stands, and what it is unpacked.
    packed: Vec<(String, Span, &'a [u8])>,
}

impl<'a> Places<'a> {
    fn new(bytes: &'a [u8], map: &'a ByteMap) -> Self {
        let mut packed = Vec::new();
        let mut open = vec![(&map.root, map.root.name.to_string())];
        while let Some((node, path)) = open.pop() {
            match &node.kind {
                MapKind::Group(parts) => {
                    open.extend(parts.iter().map(|part| (part, joined(&path, &part.name))));
                }
                MapKind::Encoded { bytes, .. } => packed.push((path, node.span, bytes.as_ref())),
                _ => {}
            }
        }
        Self { bytes, map, packed }
    }

    /// The field with a name, and the name's bytes; of data that is packed all of it.
    fn find(&self, name: &str) -> Option<(String, Span)> {
        let base = base_name(name);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        [name, base, stem].into_iter().filter(|wanted| !wanted.is_empty()).find_map(|wanted| {
            if let Some(at) = find(self.bytes, wanted.as_bytes()) {
                let path = leaf_at(&self.map.root, at as u64).map(|(path, _)| path).unwrap_or_default();
                return Some((path, Span::new(at, at + wanted.len())));
            }
            let has_it = |(.., bytes): &&(String, Span, &[u8])| find(bytes, wanted.as_bytes()).is_some();
            self.packed.iter().find(has_it).map(|(path, span, _)| (path.clone(), *span))
        })
    }
}

/// Where a text begins in bytes: where it is a word by itself, or else anywhere.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let is_end =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let is_word = |at: &usize| is_end(at.checked_sub(1)) && is_end(at.checked_add(wanted.len()));
    // In proportion to the file, however its bytes and the name are alike.
    let found = || memmem::find_iter(bytes, wanted);
    found().find(is_word).or_else(|| found().next())
}

/// The path of the smallest field that has a byte.
fn leaf_at(root: &MapNode, at: u64) -> Option<(String, Span)> {
    let mut found = (root, root.name.to_string());
    while let MapKind::Group(parts) = &found.0.kind {
        let Some(inner) = parts.iter().find(|part| (part.span.start..part.span.end).contains(&at)) else {
            break;
        };
        found = (inner, joined(&found.1, &inner.name));
    }
    if let MapKind::List(list) = &found.0.kind
        && let Some((index, span)) = list.at(at).and_then(|index| Some((index, list.span_of(index)?)))
    {
        return Some((format!("{}[{index}]", found.1), span));
    }
    Some((found.1, found.0.span))
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        _ if name.starts_with('[') => format!("{path}{name}"),
        _ => format!("{path}.{name}"),
    }
}

/// Makes of the pictures what the target can use. What came from the same format stays as it was, unless it is mended
/// for the engine in so many words.
pub(super) fn suit(
    scene: &mut Scene,
    from: Option<&Format>,
    to: &Format,
    options: &ConvertOptions<'_>,
    losses: &mut LossReport,
) {
    if from == Some(to) && options.write.purpose != Purpose::Engine {
        return;
    }
    let mut made: BTreeMap<Picture, Picture> = BTreeMap::new();
    for (index, image) in scene.images.values_mut().enumerate() {
        let Some(data) = image.data.clone() else { continue };
        let name = image.uri.clone().unwrap_or_default();
        let Some(kind) = Kind::of(&data, &name) else { continue };
        let usable = to.pictures.kinds.is_some_and(<[_]>::is_empty) || to.pictures.takes(kind, &data);
        // glTF holds some kinds by extensions that the Scene carries along.
        let carried = matches!(kind, Kind::Webp | Kind::Ktx2 | Kind::Avif | Kind::Bmp);
        if usable || carried {
            continue;
        }
        let path = format!("images[{index}]");
        let known = made.get(&data).cloned();
        match known.map_or_else(|| to_png(&data, &name, &options.read.limits), Ok) {
            Ok(png) => {
                made.insert(data, png.clone());
                let old = shown_name(image);
                image.data = Some(png);
                image.mime = Some(Kind::Png.mime().to_owned());
                if let Some(uri) = image.uri.as_mut().filter(|uri| Kind::named(uri).is_some()) {
                    let stem = uri.rsplit_once('.').map_or(uri.as_str(), |(stem, _)| stem).to_owned();
                    *uri = format!("{stem}.png");
                }
                let message = format!("the picture {old} was made into PNG, which {} can use", to.name);
                losses.added(Aspect::Textures, path, message);
            }
            Err(why) => {
                let message = format!("the picture {} cannot be made into PNG: {why}", shown_name(image));
                image.data = None;
                losses.dropped(Aspect::Textures, path, message);
            }
        }
    }
}

fn shown_name(image: &Image) -> String {
    image
        .uri
        .clone()
        .unwrap_or_else(|| if image.name.is_empty() { "inside".to_owned() } else { image.name.clone() })
}

#[cfg(feature = "pictures")]
fn to_png(data: &[u8], name: &str, limits: &Limits) -> Result<Arc<[u8]>, String> {
    let texels = crate::pictures::Texels::decode_within(data, name, limits);
    texels.and_then(|texels| texels.to_png()).map(Arc::from).map_err(|why| why.to_string())
}

#[cfg(not(feature = "pictures"))]
fn to_png(_: &[u8], _: &str, _: &Limits) -> Result<Arc<[u8]>, String> {
    Err("this build of menagerie decodes no pictures".to_owned())
}

/// Puts something in the place of pictures that are not there, or says what becomes of their names.
pub(super) fn stand_in(
    scene: &mut Scene,
    textures: &[TextureStatus],
    (to, embed): (&Format, bool),
    how: MissingTextures,
    losses: &mut LossReport,
) {
    for texture in textures.iter().filter(|texture| !texture.found) {
        let path = format!("images[{}]", texture.image);
        let name = &texture.name;
        match how {
            MissingTextures::Placeholder if to.pictures.kinds.is_none_or(|kinds| !kinds.is_empty()) => {
                let Some(image) = scene.images.values_mut().nth(texture.image) else { continue };
                let Some(data) = placeholder() else { continue };
                image.data = Some(data);
                image.mime = Some(Kind::Png.mime().to_owned());
                image.extras.set(OWN, PLACEHOLDER, true);
                let message = format!("the picture {name} was not found; a grey one stands in for it");
                losses.added(Aspect::Textures, path, message);
            }
            MissingTextures::Name if embed => {
                let message =
                    format!("the picture {name} was not found; only its name is kept, in the extras");
                losses.push(Loss {
                    noted: true,
                    ..Loss::new(Aspect::Textures, LossKind::Approximated, path, message)
                });
            }
            _ if embed => {
                let message = format!("the picture {name} was not found and is only referred to");
                losses.approximated(Aspect::Textures, path, message);
            }
            _ => {}
        }
    }
}

/// A picture for where one is missing: squares of two greys.
#[cfg(feature = "pictures")]
fn placeholder() -> Option<Arc<[u8]>> {
    let grey =
        |i: usize| if (i + i / 8).is_multiple_of(2) { [160, 160, 160, 255] } else { [96, 96, 96, 255] };
    let texels = crate::pictures::Texels::new(8, 8, (0..64).map(grey).collect()).ok()?;
    texels.to_png().ok().map(Arc::from)
}

#[cfg(not(feature = "pictures"))]
fn placeholder() -> Option<Arc<[u8]>> {
    None
}

/// For a target that does not hold pictures: the files to put beside it. Pictures keep their names where these are free;
/// those that were inside the model get one.
pub(super) fn put_beside(
    scene: &mut Scene,
    to: &Format,
    options: &ConvertOptions<'_>,
    losses: &mut LossReport,
) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    if to.pictures.kinds.is_some_and(<[_]>::is_empty) {
        return files;
    }
    for (index, image) in scene.images.values_mut().enumerate() {
        let Some(data) = image.data.clone() else { continue };
        let own = image.uri.as_deref().map(base_name).filter(|name| !name.is_empty()).map(str::to_owned);
        let extension =
            Kind::of(&data, image.uri.as_deref().unwrap_or_default()).map_or("png", Kind::extension);
        let wanted = own.clone().unwrap_or_else(|| name_for(image, index, &options.write.stem, extension));
        let name = free_name(&wanted, &files, &data, options);
        if own.as_ref() != Some(&name) {
            let message = match own {
                Some(own) => format!("another picture is called {own} too; this one is called {name}"),
                None => format!("the picture inside the model was put beside the result as {name}"),
            };
            losses.added(Aspect::Textures, format!("images[{index}]"), message);
            image.uri = Some(name.clone());
        }
        if !files.iter().any(|(taken, _)| *taken == name) {
            files.push((name, data.to_vec()));
        }
    }
    files
}

/// The name of the file for a picture that was inside a model: its own as far as files can be called that, or that of
/// the model and a number.
fn name_for(image: &Image, index: usize, stem: &str, extension: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '(' | ')');
    let clean: String = image.name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    let clean = clean.trim_matches(|c: char| c == '.' || c == ' ').to_owned();
    match (clean.is_empty(), Kind::named(&clean)) {
        (true, _) => {
            let stem = if stem.is_empty() { "texture" } else { stem };
            format!("{stem}_{index}.{extension}")
        }
        (false, Some(_)) => {
            let stem = clean.rsplit_once('.').map_or(clean.as_str(), |(stem, _)| stem);
            format!("{stem}.{extension}")
        }
        (false, None) => format!("{clean}.{extension}"),
    }
}

/// A name that no other picture of the result has, nor a file with other content that is there already.
fn free_name(wanted: &str, files: &[(String, Vec<u8>)], data: &[u8], options: &ConvertOptions<'_>) -> String {
    let (stem, extension) = wanted.rsplit_once('.').unwrap_or((wanted, ""));
    let numbered = |n: usize| match (n, extension) {
        (1, _) => wanted.to_owned(),
        (_, "") => format!("{stem}_{n}"),
        _ => format!("{stem}_{n}.{extension}"),
    };
    let is_free = |name: &String| {
        let here = files.iter().find(|(taken, _)| taken.eq_ignore_ascii_case(name));
        let there = || options.target.and_then(|target| target.open(name).ok());
        here.is_none_or(|(taken, same)| taken == name && same == data)
            && there().is_none_or(|same| *same == *data)
    };
    // Somebody's folder may be full of them; after so many the first is taken, and left as it is when it is written.
    (1..1000).map(numbered).find(is_free).unwrap_or_else(|| wanted.to_owned())
}

/// Leaves out the files that the result does not refer to.
pub(super) fn only_referred(
    beside: Vec<(String, Vec<u8>)>,
    model: &dyn FileModel,
    options: &ConvertOptions<'_>,
) -> Vec<(String, Vec<u8>)> {
    if beside.is_empty() {
        return beside;
    }
    // Meshes name no pictures.
    let read = ReadOptions { shape_only: true, ..options.read.clone() };
    let Ok(lifted) = model.lift(&read) else { return beside };
    // Some formats write names without what they end with, or with what they always end with.
    let stem = |name: &str| {
        let base = base_name(name);
        base.rsplit_once('.').map_or(base, |(stem, _)| stem).to_lowercase()
    };
    let uris = lifted.scene.images.values().filter_map(|image| image.uri.as_deref());
    let referred: BTreeSet<String> =
        uris.flat_map(|uri| [stem(uri), base_name(uri).to_lowercase()]).collect();
    beside.into_iter().filter(|(name, _)| referred.contains(&stem(name))).collect()
}

/// What follows the last slash of either kind.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
