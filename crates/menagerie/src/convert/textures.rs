use crate::diag::{Aspect, LossReport};
use crate::formats::Files;
use crate::scene::Scene;

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

/// Looks up the pictures that the model names and keeps their bytes in the Scene.
pub fn resolve_textures(scene: &mut Scene, files: &dyn Files) -> Vec<TextureStatus> {
    let mut statuses = Vec::new();
    for (index, image) in scene.images.values_mut().enumerate() {
        let Some(name) = image.uri.clone() else { continue };
        let mut status =
            TextureStatus { image: index, name, found: true, tried: Vec::new(), reason: String::new() };
        if image.data.is_none() {
            match files.open(&status.name) {
                Ok(data) => image.data = Some(data),
                Err(missing) => {
                    status = TextureStatus {
                        found: false,
                        tried: missing.tried,
                        reason: missing.reason,
                        ..status
                    };
                }
            }
        }
        if image.mime.is_none() {
            image.mime = image.data.as_deref().and_then(media_type).map(str::to_owned);
        }
        statuses.push(status);
    }
    statuses
}

/// The media type that the first bytes of a picture tell.
pub(super) fn media_type(data: &[u8]) -> Option<&'static str> {
    let kinds: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xFF\xD8\xFF", "image/jpeg"),
        (b"DDS ", "image/vnd-ms.dds"),
        (b"BM", "image/bmp"),
    ];
    kinds.iter().find(|(magic, _)| data.starts_with(magic)).map(|(_, kind)| *kind)
}

/// For a target that does not hold pictures: the files to put beside it. Pictures that have no name get one.
pub(super) fn put_beside(scene: &mut Scene, stem: &str, losses: &mut LossReport) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (index, image) in scene.images.values_mut().enumerate() {
        let Some(data) = image.data.clone() else { continue };
        let name = match image.uri.as_deref().map(base_name).filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => {
                let extension = match image.mime.as_deref().or_else(|| media_type(&data)) {
                    Some("image/jpeg") => "jpg",
                    Some("image/vnd-ms.dds") => "dds",
                    _ => "png",
                };
                let name = free_name(&files, stem, index, extension);
                let message = format!("the embedded picture was put beside the model as {name}");
                losses.approximated(Aspect::Textures, format!("images[{index}]"), message);
                image.uri = Some(name.clone());
                name
            }
        };
        match files.iter().find(|(taken, _)| *taken == name) {
            None => files.push((name, data.to_vec())),
            Some((_, same)) if same.as_slice() == &*data => {}
            Some(_) => {
                let message = format!("another picture is called {name} too; this one was left out");
                losses.dropped(Aspect::Textures, format!("images[{index}]"), message);
            }
        }
    }
    files
}

fn free_name(files: &[(String, Vec<u8>)], stem: &str, index: usize, extension: &str) -> String {
    let stem = if stem.is_empty() { "texture" } else { stem };
    (index..)
        .map(|n| format!("{stem}_{n}.{extension}"))
        .find(|name| files.iter().all(|(taken, _)| taken != name))
        .unwrap_or_default()
}

/// What follows the last slash of either kind.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
