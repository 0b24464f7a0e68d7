//! Files that a model names. Their names are not to be trusted: nothing outside the model's own folder and the
//! folders that the user gave is ever opened, whether by `..`, by an absolute path or through a link.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::formats::{Files, NotFound};

/// Larger files than this are not taken for a texture or a buffer.
const MAX_BYTES: u64 = 1 << 30;

/// Where the loader of some engines keeps pictures, below the folder of the model.
const CUSTOMARY: &str = "textures";

/// The extensions that a picture may have in place of the one that the model gives, or of none.
const OTHER_EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "tga", "dds"];

/// Extensions that tell that a name is that of a picture.
const PICTURES: [&str; 13] =
    ["png", "jpg", "jpeg", "tga", "dds", "bmp", "gif", "tif", "tiff", "psd", "pcx", "webp", "ktx2"];

/// `--texture NAME=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    name: String,
    file: String,
}

impl Replacement {
    /// From `NAME=FILE`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, file)) if !base_name(name).is_empty() && !file.is_empty() => {
                Ok(Self { name: base_name(name).to_owned(), file: file.to_owned() })
            }
            _ => Err("write it as NAME=FILE".to_owned()),
        }
    }
}

/// The folders in which the files of one model are looked up.
#[derive(Debug)]
pub struct Folders {
    places: Vec<Place>,
    replacements: Vec<Replacement>,
    max_bytes: u64,
}

/// A folder that is searched.
#[derive(Clone, Debug)]
struct Place {
    folder: PathBuf,
    /// Nothing outside this one is opened, whatever links there are. It is the folder itself or one above it.
    jail: PathBuf,
}

/// Why a place was no good.
enum Refused {
    NotThere,
    Because(String),
}

impl Folders {
    /// The model's own folder, if it has one, and others, with replacements for single files.
    pub fn new(own: Option<&Path>, others: &[PathBuf], replacements: &[Replacement]) -> Self {
        let place = |folder: &Path, jail: &Path| Place { folder: folder.to_owned(), jail: jail.to_owned() };
        let own = own.into_iter().flat_map(|own| [place(own, own), place(&own.join(CUSTOMARY), own)]);
        let places = own.chain(others.iter().map(|folder| place(folder, folder))).collect();
        Self { places, replacements: replacements.to_vec(), max_bytes: MAX_BYTES }
    }

    fn look_up(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let mut search = Search { folders: self, tried: Vec::new(), reasons: Vec::new(), met: false };
        let name = name.replace('\\', "/");
        let base = base_name(&name);
        if base.is_empty() || base == ".." || base == "." || name.contains('\0') {
            search.reasons.push("it is not the name of a file".to_owned());
            return Err(search.failed());
        }
        let relative = search.inside(&name);
        let exact = |folder: &Path, wanted: &str| Some(folder.join(wanted));
        let found = relative
            .and_then(|name| search.each(name, exact))
            .or_else(|| search.each(base, exact))
            .or_else(|| relative.and_then(|name| search.each(name, without_case)))
            .or_else(|| search.each(base, without_case))
            .or_else(|| search.other_extensions(base));
        found.ok_or_else(|| search.failed())
    }
}

impl Files for Folders {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let replaced = self
            .replacements
            .iter()
            .find(|replacement| replacement.name.eq_ignore_ascii_case(base_name(name)));
        self.look_up(replaced.map_or(name, |replacement| &replacement.file))
    }
}

/// One search for one file, and what it met.
struct Search<'a> {
    folders: &'a Folders,
    tried: Vec<String>,
    reasons: Vec<String>,
    /// Whether a file was there that could not be taken.
    met: bool,
}

impl Search<'_> {
    /// The name as given, if it does not even try to leave the folder.
    fn inside<'n>(&mut self, name: &'n str) -> Option<&'n str> {
        let drive = name.as_bytes().get(1) == Some(&b':');
        let leaves = Path::new(name).components().any(|part| matches!(part, Component::ParentDir));
        let refusal = if name.contains("://") {
            "it is an address, and nothing is fetched"
        } else if name.starts_with('/') || drive {
            "its path is absolute, so only its base name was looked for"
        } else if leaves {
            "its path leads out of the folder with .., so only its base name was looked for"
        } else {
            return Some(name);
        };
        self.reasons.push(refusal.to_owned());
        None
    }

    /// Tries a name in all folders by a rule that turns it into a path.
    fn each(&mut self, name: &str, rule: impl Fn(&Path, &str) -> Option<PathBuf>) -> Option<Arc<[u8]>> {
        for place in &self.folders.places {
            let Some(path) = rule(&place.folder, name) else { continue };
            let shown = path.strip_prefix(".").unwrap_or(&path).display().to_string();
            if self.tried.contains(&shown) {
                continue;
            }
            let result = self.read(&place.jail, &path);
            self.tried.push(shown.clone());
            match result {
                Ok(bytes) => return Some(bytes),
                Err(Refused::NotThere) => {}
                Err(Refused::Because(reason)) => {
                    self.met = true;
                    self.reasons.push(format!("{shown} {reason}"));
                }
            }
        }
        None
    }

    /// Tries the name of a picture with other extensions: some formats store names without one, and many a model
    /// was made when its pictures still were of another kind.
    fn other_extensions(&mut self, base: &str) -> Option<Arc<[u8]>> {
        let stem = match base.rsplit_once('.') {
            None => base,
            Some((stem, extension)) if PICTURES.iter().any(|p| p.eq_ignore_ascii_case(extension)) => stem,
            Some(_) => return None,
        };
        OTHER_EXTENSIONS.iter().find_map(|extension| self.each(&format!("{stem}.{extension}"), without_case))
    }

    fn read(&self, jail: &Path, path: &Path) -> Result<Arc<[u8]>, Refused> {
        let (Ok(jail), Ok(real)) = (fs::canonicalize(jail), fs::canonicalize(path)) else {
            return Err(Refused::NotThere);
        };
        if !real.starts_with(&jail) {
            return Err(Refused::Because("is a link that leads out of the folder".to_owned()));
        }
        let because = |error: std::io::Error| Refused::Because(format!("cannot be read: {error}"));
        if !fs::metadata(&real).map_err(because)?.is_file() {
            return Err(Refused::Because("is not a file".to_owned()));
        }
        let mut bytes = Vec::new();
        let limit = self.folders.max_bytes;
        File::open(&real)
            .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
            .map_err(because)?;
        if bytes.len() as u64 > limit {
            return Err(Refused::Because(format!("has more than {limit} bytes")));
        }
        Ok(bytes.into())
    }

    fn failed(self) -> NotFound {
        let mut reasons = self.reasons;
        if !self.met && !self.tried.is_empty() {
            reasons.push("there is no such file in the folders that were searched".to_owned());
        }
        NotFound { tried: self.tried, reason: reasons.join("; ") }
    }
}

/// The path of a file whose name is the same but for capital letters; the first by name if there are several.
fn without_case(folder: &Path, wanted: &str) -> Option<PathBuf> {
    wanted.split('/').filter(|part| !part.is_empty() && *part != ".").try_fold(
        folder.to_owned(),
        |place, part| {
            let wanted = part.to_lowercase();
            let entries = fs::read_dir(&place).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
            let fits = entries.filter(|name| name.to_string_lossy().to_lowercase() == wanted);
            Some(place.join(fits.min()?))
        },
    )
}

/// What follows the last slash of either kind.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `home/model/` is the folder of the model, `home/secret.png` is outside.
    fn home() -> (tempfile::TempDir, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let model = home.path().join("model");
        for folder in ["model/sub", "model/textures", "more"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for file in [
            "secret.png",
            "model/plain.png",
            "model/Mixed.PNG",
            "model/sub/deep.png",
            "model/textures/stem.png",
            "model/scene.png",
            "more/extra.jpg",
        ] {
            fs::write(home.path().join(file), file).unwrap();
        }
        (home, model)
    }

    #[test]
    fn names_are_found_by_the_rules_and_nothing_outside() {
        let (home, model) = home();
        let outside = home.path().join("secret.png").display().to_string();
        let more = [home.path().join("more")];
        let folders = Folders::new(Some(&model), &more, &[]);
        for (name, expected) in [
            ("plain.png", Ok("model/plain.png")),
            ("./plain.png", Ok("model/plain.png")),
            ("sub/deep.png", Ok("model/sub/deep.png")),
            (r"sub\deep.png", Ok("model/sub/deep.png")),
            (r"C:\art\plain.png", Ok("model/plain.png")),
            ("/art/plain.png", Ok("model/plain.png")),
            ("../art/plain.png", Ok("model/plain.png")),
            ("mixed.png", Ok("model/Mixed.PNG")),
            ("SUB/Deep.PNG", Ok("model/sub/deep.png")),
            ("stem", Ok("model/textures/stem.png")),
            ("stem.bmp", Ok("model/textures/stem.png")),
            ("extra.jpg", Ok("more/extra.jpg")),
            ("scene.bin", Err("there is no such file in")),
            ("gone.png", Err("there is no such file")),
            ("../secret.png", Err("leads out of the folder")),
            ("sub/../../secret.png", Err("leads out of the folder")),
            (r"..\secret.png", Err("leads out of the folder")),
            (&outside, Err("is absolute")),
            ("https://example.org/secret.png", Err("is an address")),
            ("sub", Err("is not a file")),
            ("", Err("not the name of a file")),
            ("..", Err("not the name of a file")),
        ] {
            match (folders.open(name), expected) {
                (Ok(bytes), Ok(expected)) => assert_eq!(&*bytes, expected.as_bytes(), "{name}"),
                (Err(missing), Err(reason)) => {
                    assert!(missing.reason.contains(reason), "{name}: {}", missing.reason);
                }
                (result, _) => panic!("{name}: {result:?}"),
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_out_of_the_folder_is_refused_and_one_inside_is_not() {
        let (home, model) = home();
        std::os::unix::fs::symlink(home.path().join("secret.png"), model.join("link.png")).unwrap();
        std::os::unix::fs::symlink(home.path(), model.join("up")).unwrap();
        std::os::unix::fs::symlink(model.join("plain.png"), model.join("inside.png")).unwrap();
        let folders = Folders::new(Some(&model), &[], &[]);
        fs::remove_dir_all(model.join("textures")).unwrap();
        std::os::unix::fs::symlink(home.path(), model.join("textures")).unwrap();
        for name in ["link.png", "LINK.png", "up/secret.png", "link.bmp", "secret.png", "secret"] {
            let missing = folders.open(name).unwrap_err();
            assert!(missing.reason.contains("link that leads out"), "{name}: {}", missing.reason);
        }
        assert_eq!(&*folders.open("inside.png").unwrap(), b"model/plain.png");
    }

    #[test]
    fn replacements_go_by_base_name_and_stay_inside_too() {
        let (_home, model) = home();
        let replaced = |text: &str| {
            let replacement = Replacement::parse(text).unwrap();
            Folders::new(Some(&model), &[], &[replacement]).open(r"art\SKIN.tga")
        };
        assert_eq!(&*replaced("skin.tga=plain.png").unwrap(), b"model/plain.png");
        assert!(replaced("skin.tga=../secret.png").is_err());
        assert!(replaced("other.tga=plain.png").is_err());
        assert!(Replacement::parse("no-file").is_err());
    }

    #[test]
    fn the_places_that_were_tried_are_listed_and_size_is_limited() {
        let (_home, model) = home();
        let mut folders = Folders::new(Some(&model), &[], &[]);
        let missing = folders.open("art/gone.dat").unwrap_err();
        let expected = ["art/gone.dat", "textures/art/gone.dat", "gone.dat", "textures/gone.dat"];
        assert_eq!(missing.tried, expected.map(|place| model.join(place).display().to_string()));
        folders.max_bytes = 4;
        assert!(folders.open("plain.png").unwrap_err().reason.contains("more than 4 bytes"));
    }
}
