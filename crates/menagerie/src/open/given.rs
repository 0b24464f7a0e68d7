//! Files that somebody handed over, such as those that were dropped onto a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::{CUSTOMARY, base_name, leaves, spellings};
use crate::formats::{Files, NotFound};

/// Files in memory by their paths, in which those that a model names are looked up by the rules that
/// [`Folders`](super::Folders) has for the disk: as given, by base name, without regard to case, with other extensions; first in the model's
/// folder and in `textures` below it, then anywhere.
///
/// ```
/// use menagerie::formats::Files;
/// use menagerie::open::Given;
///
/// let mut given = Given::beside("models/crate.bo3d");
/// given.add("models/Textures/PLANKS.PNG", vec![1, 2, 3]);
/// assert_eq!(&*given.open("c:\\art\\planks.png")?, [1, 2, 3]);
/// # Ok::<(), menagerie::formats::NotFound>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The folder of the model, with a slash at its end unless it is empty.
    folder: String,
    files: BTreeMap<String, Arc<[u8]>>,
    /// Paths by their small letters, the first by name.
    lower: BTreeMap<String, String>,
    /// Base names in small letters, and the first path that ends so.
    bases: BTreeMap<String, String>,
}

impl Given {
    /// No files yet, for the model at this path.
    pub fn beside(model: &str) -> Self {
        let model = model.replace('\\', "/");
        let folder = model.rfind('/').map_or("", |at| model.get(..=at).unwrap_or_default());
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// Adds a file; one of the same path is replaced.
    pub fn add(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) {
        let path = path.replace('\\', "/");
        let first = |known: &mut String| {
            if path < *known {
                *known = path.clone();
            }
        };
        first(self.lower.entry(path.to_lowercase()).or_insert_with(|| path.clone()));
        first(self.bases.entry(base_name(&path).to_lowercase()).or_insert_with(|| path.clone()));
        self.files.insert(path, bytes.into());
    }

    /// The paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The path of the file that a model means by `name`.
    pub fn find(&self, name: &str) -> Option<&str> {
        let name = name.replace('\\', "/");
        if name.contains("://") || base_name(&name).is_empty() {
            return None;
        }
        let mut wanted = Vec::new();
        if !leaves(&name) {
            wanted.push(name.trim_start_matches("./"));
        }
        wanted.push(base_name(&name));
        let exact = wanted.iter().find_map(|name| self.near(name, |path| self.files.get_key_value(path)));
        let spelt = || {
            let names = wanted.iter().flat_map(|name| spellings(name));
            names.map(|name| name.to_lowercase()).find_map(|name| {
                let near = self.near(&name, |path| self.lower.get(&path.to_lowercase()));
                near.or_else(|| self.bases.get(&name))
            })
        };
        let path = exact.map(|(path, _)| path).or_else(spelt)?;
        Some(path)
    }

    /// Tries a name in the model's folder and where some engines keep pictures.
    fn near<'s, T>(&'s self, name: &str, get: impl Fn(&str) -> Option<T> + 's) -> Option<T> {
        let own = get(&format!("{}{name}", self.folder));
        own.or_else(|| get(&format!("{}{CUSTOMARY}/{name}", self.folder)))
    }
}

impl Files for Given {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let found = self.find(name).and_then(|path| self.files.get(path));
        found.cloned().ok_or_else(|| NotFound {
            tried: Vec::new(),
            reason: format!("it is not among the {} files that were given with the model", self.files.len()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_the_rules_of_folders() {
        let mut given = Given::beside("m/robot.bmd");
        for path in
            ["m/skin.png", "m/textures/eye.JPG", "m/deep/Metal.tga", "elsewhere/rust.png", "m/a/b.png"]
        {
            given.add(path, vec![0u8]);
        }
        for (name, found) in [
            ("skin.png", Some("m/skin.png")),
            ("SKIN.PNG", Some("m/skin.png")),
            ("skin", Some("m/skin.png")),
            ("skin.bmp", Some("m/skin.png")),
            ("..\\..\\skin.png", Some("m/skin.png")),
            ("/etc/eye.jpg", Some("m/textures/eye.JPG")),
            ("a/b.png", Some("m/a/b.png")),
            ("metal", Some("m/deep/Metal.tga")),
            ("rust.png", Some("elsewhere/rust.png")),
            ("skin.dat", None),
            ("http://x/skin.png", None),
            ("", None),
        ] {
            assert_eq!(given.find(name), found, "{name:?}");
        }
    }
}
