//! Images, textures and samplers.

use std::collections::BTreeMap;

use super::super::extras::Lowering;
use super::super::json;
use super::super::notes::Note as _;
use super::super::notes::in_file::ImageNote;
use super::super::notes::in_scene::{FileKept, ImageKept};
use super::super::sampling::{MAG_FILTERS, MIN_FILTERS, WRAPS};
use super::super::uri;
use super::{Lowerer, Pictures};
use crate::diag::Aspect;
use crate::scene::{Image, Sampler, Wrap};

/// Pictures of a kind that glTF holds only with an extension.
const WITH_EXTENSION: [(&str, &str); 4] = [
    ("image/webp", "EXT_texture_webp"),
    ("image/ktx2", "KHR_texture_basisu"),
    ("image/avif", "EXT_texture_avif"),
    ("image/vnd-ms.dds", "MSFT_texture_dds"),
];

impl<'a> Lowerer<'a> {
    pub(super) fn textures(&mut self) {
        for (id, image) in self.scene.images.iter() {
            let image = self.image(id.index(), image);
            self.document.images.push(image);
        }
        let mut samplers: Vec<&Sampler> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for texture in self.scene.textures.values() {
            let sampler = texture.sampler.as_ref().map(|sampler| {
                *known.entry(format!("{sampler:?}")).or_insert_with(|| {
                    samplers.push(sampler);
                    samplers.len() - 1
                }) as u32
            });
            let magnify = texture.sampler.as_ref().and_then(|sampler| sampler.magnify);
            if magnify.is_some_and(|filter| MAG_FILTERS.iter().all(|(_, known)| *known != filter)) {
                let message = "a filter with mipmaps cannot magnify; it is left out";
                self.losses.dropped(
                    Aspect::Textures,
                    format!("textures[{}]", self.document.textures.len()),
                    message,
                );
            }
            let (extras, extensions) = Lowering::new(&texture.extras).finish();
            self.document.textures.push(json::Texture {
                name: texture.name.clone(),
                sampler,
                source: texture.image.map(|image| image.index() as u32),
                extras,
                extensions,
                ..json::Texture::default()
            });
        }
        self.document.samplers = samplers.into_iter().map(sampler).collect();
    }

    fn image(&mut self, index: usize, image: &'a Image) -> json::Image {
        let mut lowering = Lowering::new(&image.extras);
        let mut note = ImageNote::default();
        let mut result = json::Image { name: image.name.clone(), ..json::Image::default() };
        let kind = image.data.as_deref().and_then(|data| self.embeddable(image, data));
        match (&image.data, self.pictures) {
            (Some(data), Pictures::Inside) if kind.is_some() => {
                result.buffer_view = Some(self.packer.picture(data));
                note.uri = image.uri.clone().map(Some);
            }
            (Some(data), Pictures::Beside) => {
                let name = self.file_beside(index, image, data);
                if image.uri.as_ref().is_some_and(|before| *before != name) {
                    note.uri = Some(image.uri.clone());
                }
                result.uri = Some(uri::encode(&name));
            }
            (data, _) => {
                if data.is_some() && self.pictures == Pictures::Inside {
                    let message = "the picture is neither PNG nor JPEG, or damaged; only its name is kept";
                    self.losses.dropped(Aspect::Textures, format!("images[{index}]"), message);
                } else if data.is_some() && image.uri.is_none() {
                    let message = "the picture has no name and is left out";
                    self.losses.dropped(Aspect::Textures, format!("images[{index}]"), message);
                }
                result.uri = Some(self.reference(index, image, &mut note));
            }
        }
        // A picture in a buffer must say what it is; elsewhere it may.
        let written = match (&result.buffer_view, &image.mime) {
            (Some(_), _) => kind.map(str::to_owned),
            (None, Some(mime)) if self.allowed_mime(mime) => Some(mime.clone()),
            _ => None,
        };
        if written != image.mime {
            note.mime = Some(image.mime.clone());
        }
        result.mime_type = written;
        lowering.put(&note);
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    /// The media type of a picture that may be inside the file.
    fn embeddable<'i>(&self, image: &'i Image, data: &[u8]) -> Option<&'i str> {
        if is_png(data) {
            return Some("image/png");
        }
        if is_jpeg(data) {
            return Some("image/jpeg");
        }
        image
            .mime
            .as_deref()
            .filter(|mime| !matches!(*mime, "image/png" | "image/jpeg") && self.allowed_mime(mime))
    }

    fn allowed_mime(&self, mime: &str) -> bool {
        if matches!(mime, "image/png" | "image/jpeg") {
            return true;
        }
        let used = FileKept::of(&self.scene.extras).extensions_used.unwrap_or_default();
        let declared = |name: &str| used.iter().any(|used| used == name);
        WITH_EXTENSION.iter().any(|(kind, extension)| *kind == mime && declared(extension))
    }

    /// The URI of a picture that is not inside the file.
    fn reference(&self, index: usize, image: &Image, note: &mut ImageNote) -> String {
        let Some(name) = &image.uri else {
            note.uri = Some(None);
            return format!("missing_{index}.png");
        };
        let raw = ImageKept::of(&image.extras).uri;
        if let Some(raw) = raw.filter(|raw| uri::decode(raw) == *name && is_relative(raw)) {
            return raw;
        }
        if is_relative(name) && !name.contains('\\') {
            return uri::encode(name);
        }
        note.uri = Some(Some(name.clone()));
        match uri::base_name(name) {
            "" => format!("missing_{index}.png"),
            base => uri::encode(base),
        }
    }

    /// The name of the file beside the model that a picture is written to.
    fn file_beside(&mut self, index: usize, image: &Image, data: &std::sync::Arc<[u8]>) -> String {
        let own = image
            .uri
            .as_deref()
            .map(|name| if uri::stays_beside(name) { name } else { uri::base_name(name) });
        let extension = if is_jpeg(data) { "jpg" } else { "png" };
        let numbered = (index..).map(|n| format!("{}_{n}.{extension}", self.stem));
        let free = |name: &String| {
            let taken = self.beside.iter().find(|(taken, _)| taken.eq_ignore_ascii_case(name));
            taken.is_none_or(|(_, same)| same == data)
        };
        let own = own.filter(|name| uri::stays_beside(name)).map(str::to_owned);
        let named = own.is_some();
        let name = own.into_iter().chain(numbered).find(free).unwrap_or_default();
        if !named {
            let message = format!("the embedded picture was put beside the model as {name}");
            self.losses.added(Aspect::Textures, format!("images[{index}]"), message);
        }
        if !self.beside.iter().any(|(taken, _)| *taken == name) {
            self.beside.push((name.clone(), data.clone()));
        }
        name
    }
}

/// Whether a name can be a relative URI: no drive, no protocol, not from the root.
fn is_relative(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    !name.is_empty() && !name.starts_with('/') && !first.contains(':')
}

/// Whether bytes are a PNG as far as a look at its header tells.
fn is_png(data: &[u8]) -> bool {
    data.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR") && data.len() >= 57
}

/// Whether bytes are a JPEG that gets as far as its frame header.
fn is_jpeg(data: &[u8]) -> bool {
    let mut rest = match data {
        [0xFF, 0xD8, rest @ ..] => rest,
        _ => return false,
    };
    while let [0xFF, marker, high, low, ..] = *rest {
        match marker {
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF => return rest.len() > 9,
            0xFF => {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            _ => {}
        }
        rest = rest.get(2 + usize::from(u16::from_be_bytes([high, low]))..).unwrap_or_default();
    }
    false
}

fn sampler(sampler: &Sampler) -> json::Sampler {
    let (extras, extensions) = Lowering::new(&sampler.extras).finish();
    let wrap = |wrap: Wrap| WRAPS.iter().find(|(_, w)| *w == wrap).map(|(n, _)| *n).filter(|&n| n != 10497);
    json::Sampler {
        name: sampler.name.clone(),
        mag_filter: sampler.magnify.and_then(|f| MAG_FILTERS.iter().find(|(_, m)| *m == f)).map(|(n, _)| *n),
        min_filter: sampler.minify.and_then(|f| MIN_FILTERS.iter().find(|(_, m)| *m == f)).map(|(n, _)| *n),
        wrap_s: wrap(sampler.wrap_u),
        wrap_t: wrap(sampler.wrap_v),
        extras,
        extensions,
        ..json::Sampler::default()
    }
}
