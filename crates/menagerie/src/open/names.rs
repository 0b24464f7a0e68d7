//! How the names that models have for their pictures are spelt.

/// Where the loader of some engines keeps pictures, below the folder of the model.
pub(super) const CUSTOMARY: &str = "textures";

/// The extensions that a picture may have in place of the one that the model gives, or of none.
pub(super) const OTHER_EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "tga", "dds"];

/// Extensions that tell that a name is that of a picture.
pub(super) const PICTURES: [&str; 13] =
    ["png", "jpg", "jpeg", "tga", "dds", "bmp", "gif", "tif", "tiff", "psd", "pcx", "webp", "ktx2"];

/// What follows the last slash.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Whether a name leads out of the folder in which it is looked up.
pub(super) fn leaves(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    name.starts_with('/') || drive || name.split('/').any(|part| part == "..")
}

/// A name without the extension of a picture, to which others can be put; none where its extension is of something else.
pub(super) fn stem(name: &str) -> Option<&str> {
    match base_name(name).rsplit_once('.') {
        None => Some(name),
        Some((_, extension)) if PICTURES.iter().any(|p| p.eq_ignore_ascii_case(extension)) => {
            name.get(..name.len() - extension.len() - 1)
        }
        Some(_) => None,
    }
}

/// The name itself, then with the other extensions that a picture may have.
pub(super) fn spellings(name: &str) -> impl Iterator<Item = String> {
    let others = stem(name)
        .into_iter()
        .flat_map(|stem| OTHER_EXTENSIONS.iter().map(move |extension| format!("{stem}.{extension}")));
    std::iter::once(name.to_owned()).chain(others)
}
