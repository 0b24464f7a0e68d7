//! Files that a model names. Their names are not to be trusted: nothing outside the model's own folder and the
//! folders that the user gave is ever opened, whether by `..`, by an absolute path or through a link.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::names::{CUSTOMARY, OTHER_EXTENSIONS, PICTURES, base_name, stem};
use crate::formats::{Files, NotFound};

/// Larger files than this are not taken for a texture or a buffer.
const MAX_BYTES: u64 = 1 << 30;

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

/// How deep folders below one of `--texture-dir` are searched, and how many files are looked at.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 50_000;

/// So many names are compared with one that was not found, in each of four directions: those before it and after it, by
/// their first letters and by their last. However large a folder is, a name that is missing costs no more.
const COMPARED: usize = 32;

/// The folders in which the files of one model are looked up.
#[derive(Debug)]
pub struct Folders {
    places: Vec<Place>,
    replacements: Vec<Replacement>,
    max_bytes: u64,
    listings: Listings,
}

/// What is in folders, each looked at once: a model may name thousands of files, and a folder may hold thousands of
/// models. Clones know the same; what appears in a folder after it was looked at is not seen.
#[derive(Clone, Debug, Default)]
pub struct Listings(Arc<Mutex<HashMap<PathBuf, Arc<Listing>>>>);

/// A folder that is searched.
#[derive(Clone, Debug)]
struct Place {
    folder: PathBuf,
    /// Nothing outside this one is opened, whatever links there are. It is the folder itself or one above it.
    jail: PathBuf,
    /// Whether the folders below it are searched too.
    below: bool,
}

/// What is in a folder, or in one and all below it.
#[derive(Debug, Default)]
struct Listing {
    /// The names as they are.
    names: HashSet<OsString>,
    /// By their small letters, the first by name; below a folder with the way to it.
    lower: BTreeMap<String, PathBuf>,
    /// The pictures among them by their small letters, for names that are nearly right.
    pictures: Vec<String>,
    /// The same by their letters from the last to the first, each with its number in `pictures`.
    backwards: Vec<(String, usize)>,
}

/// Why a place was no good.
enum Refused {
    NotThere,
    Because(String),
}

impl Listing {
    fn of(folder: &Path) -> Self {
        let mut listing = Self::default();
        let entries = fs::read_dir(folder).into_iter().flatten();
        for name in entries.filter_map(|entry| Some(entry.ok()?.file_name())) {
            listing.add(name.to_string_lossy().to_lowercase(), PathBuf::from(&name));
            listing.names.insert(name);
        }
        listing.pictures = listing.lower.keys().filter(|lower| is_picture(lower)).cloned().collect();
        let backwards = |(i, name): (usize, &String)| (name.chars().rev().collect(), i);
        listing.backwards = listing.pictures.iter().enumerate().map(backwards).collect();
        listing.backwards.sort_unstable();
        listing
    }

    /// The pictures beside which a name in small letters would stand, by its first letters or by its last.
    fn beside(&self, wanted: &str) -> BTreeSet<&str> {
        let around = |at: usize| at.saturating_sub(COMPARED)..at.saturating_add(COMPARED);
        let within = |range: Range<usize>| range.start..range.end.min(self.pictures.len());
        let forwards = self.pictures.partition_point(|name| name.as_str() < wanted);
        let reversed: String = wanted.chars().rev().collect();
        let backwards = self.backwards.partition_point(|(name, _)| *name < reversed);
        let by_end = self.backwards.get(within(around(backwards))).unwrap_or_default();
        let by_end = by_end.iter().filter_map(|(_, i)| self.pictures.get(*i));
        let by_start = self.pictures.get(within(around(forwards))).unwrap_or_default();
        by_start.iter().chain(by_end).map(String::as_str).collect()
    }

    /// The files in a folder and below, by their base names; links are not followed.
    fn below(folder: &Path) -> Self {
        let mut listing = Self::default();
        let mut open = vec![(folder.to_owned(), 0)];
        let mut files = 0;
        while let Some((place, depth)) = open.pop() {
            let entries = fs::read_dir(&place).into_iter().flatten();
            let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && depth < DEEPEST => open.push((entry.path(), depth + 1)),
                    Ok(kind) if kind.is_file() && files < MOST_FILES => {
                        files += 1;
                        listing.add(entry.file_name().to_string_lossy().to_lowercase(), entry.path());
                    }
                    _ => {}
                }
            }
        }
        listing
    }

    fn add(&mut self, lower: String, path: PathBuf) {
        let first = self.lower.entry(lower).or_insert_with(|| path.clone());
        if path < *first {
            *first = path;
        }
    }
}

/// How letters are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Same,
    Any,
}

impl Folders {
    /// The model's own folder, if it has one, and others, with replacements for single files.
    pub fn new(own: Option<&Path>, others: &[PathBuf], replacements: &[Replacement]) -> Self {
        let place = |folder: &Path, jail: &Path, below: bool| Place {
            folder: folder.to_owned(),
            jail: jail.to_owned(),
            below,
        };
        let own =
            own.into_iter().flat_map(|own| [place(own, own, false), place(&own.join(CUSTOMARY), own, false)]);
        let places = own.chain(others.iter().map(|folder| place(folder, folder, true))).collect();
        Self {
            places,
            replacements: replacements.to_vec(),
            max_bytes: MAX_BYTES,
            listings: Listings::default(),
        }
    }

    /// The same with what others have seen of the folders.
    #[must_use]
    pub fn sharing(self, listings: &Listings) -> Self {
        Self { listings: listings.clone(), ..self }
    }

    fn look_up(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let mut search = Search { folders: self, tried: Vec::new(), reasons: Vec::new(), met: false };
        let name = name.replace('\\', "/");
        let base = base_name(&name);
        if base.is_empty() || base == ".." || base == "." || name.contains('\0') {
            search.reasons.push("it is not the name of a file".to_owned());
            return Err(search.failed(base));
        }
        let relative = search.inside(&name);
        let found = relative
            .and_then(|name| search.each(name, Case::Same))
            .or_else(|| search.each(base, Case::Same))
            .or_else(|| relative.and_then(|name| search.each(name, Case::Any)))
            .or_else(|| search.each(base, Case::Any))
            .or_else(|| relative.and_then(|name| search.other_extensions(name, Search::each)))
            .or_else(|| search.other_extensions(base, Search::each))
            .or_else(|| search.below(base, Case::Any))
            .or_else(|| search.other_extensions(base, Search::below));
        found.ok_or_else(|| search.failed(base))
    }

    /// What is in a folder, looked at once.
    fn listing(&self, key: PathBuf, make: impl FnOnce(&Path) -> Listing) -> Arc<Listing> {
        let Ok(mut listings) = self.listings.0.lock() else { return Arc::default() };
        let listing = listings.entry(key).or_insert_with_key(|key| Arc::new(make(key)));
        listing.clone()
    }

    /// The path of a file in a folder, if there is one.
    fn path(&self, folder: &Path, wanted: &str, case: Case) -> Option<PathBuf> {
        let parts = wanted.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.into_iter().try_fold(folder.to_owned(), |place, part| {
            let listing = self.listing(place.clone(), Listing::of);
            match case {
                Case::Same => listing.names.contains(OsStr::new(part)).then(|| place.join(part)),
                Case::Any => listing.lower.get(&part.to_lowercase()).map(|name| place.join(name)),
            }
        })
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

/// A way to search for a name.
type Way<S> = fn(&mut S, &str, Case) -> Option<Arc<[u8]>>;

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

    /// Tries a name in all folders.
    fn each(&mut self, name: &str, case: Case) -> Option<Arc<[u8]>> {
        for place in &self.folders.places {
            let there = self.folders.path(&place.folder, name, case);
            if there.is_none() && case == Case::Any {
                continue;
            }
            let path = there.clone().unwrap_or_else(|| place.folder.join(name));
            let shown = path.strip_prefix(".").unwrap_or(&path).display().to_string();
            if self.tried.contains(&shown) {
                continue;
            }
            self.tried.push(shown.clone());
            if let Some(bytes) = there.and_then(|path| self.take(&place.jail, &path, &shown)) {
                return Some(bytes);
            }
        }
        None
    }

    /// Looks for a base name below the folders that the user gave.
    fn below(&mut self, base: &str, _: Case) -> Option<Arc<[u8]>> {
        for place in self.folders.places.iter().filter(|place| place.below) {
            let key = place.folder.join("**");
            let listing = self.folders.listing(key, |_| Listing::below(&place.folder));
            let Some(path) = listing.lower.get(&base.to_lowercase()) else { continue };
            let shown = path.display().to_string();
            if let Some(bytes) = self.take(&place.jail, path, &shown) {
                return Some(bytes);
            }
        }
        None
    }

    fn take(&mut self, jail: &Path, path: &Path, shown: &str) -> Option<Arc<[u8]>> {
        match self.read(jail, path) {
            Ok(bytes) => Some(bytes),
            Err(Refused::NotThere) => None,
            Err(Refused::Because(reason)) => {
                self.met = true;
                self.reasons.push(format!("{shown} {reason}"));
                None
            }
        }
    }

    /// Tries the name of a picture with other extensions: some formats store names without one, and many a model
    /// was made when its pictures still were of another kind.
    fn other_extensions(&mut self, name: &str, search: Way<Self>) -> Option<Arc<[u8]>> {
        let stem = stem(name)?;
        OTHER_EXTENSIONS.iter().find_map(|extension| search(self, &format!("{stem}.{extension}"), Case::Any))
    }

    fn read(&self, jail: &Path, path: &Path) -> Result<Arc<[u8]>, Refused> {
        let (Ok(jail), Ok(real)) = (fs::canonicalize(jail), fs::canonicalize(path)) else {
            return Err(Refused::NotThere);
        };
        if !real.starts_with(&jail) {
            return Err(Refused::Because("is a link that leads out of the folder".to_owned()));
        }
        let because = |error: std::io::Error| Refused::Because(format!("cannot be read: {error}"));
        let about = fs::metadata(&real).map_err(because)?;
        if !about.is_file() {
            return Err(Refused::Because("is not a file".to_owned()));
        }
        let limit = self.folders.max_bytes;
        let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(limit)).unwrap_or_default() + 1);
        File::open(&real)
            .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
            .map_err(because)?;
        if bytes.len() as u64 > limit {
            return Err(Refused::Because(format!("has more than {limit} bytes")));
        }
        Ok(bytes.into())
    }

    fn failed(self, base: &str) -> NotFound {
        let near = if self.met { String::new() } else { self.did_you_mean(base) };
        let mut reasons = self.reasons;
        if !self.met && !self.tried.is_empty() {
            reasons.push(format!("there is no such file in the folders that were searched{near}"));
        }
        NotFound { tried: self.tried, reason: reasons.join("; ") }
    }

    /// Pictures that are there and whose names are nearly that one.
    fn did_you_mean(&self, base: &str) -> String {
        if base.len() > 200 || !is_picture(&base.to_lowercase()) {
            return String::new();
        }
        let wanted = base.to_lowercase();
        let mut near = Vec::new();
        for place in &self.folders.places {
            // What lies behind a link that leads out is nobody's business.
            let real = fs::canonicalize(&place.folder).ok().zip(fs::canonicalize(&place.jail).ok());
            if !real.is_some_and(|(folder, jail)| folder.starts_with(jail)) {
                continue;
            }
            let listing = self.folders.listing(place.folder.clone(), Listing::of);
            let as_it_is = |(apart, lower): (usize, &str)| {
                listing.lower.get(lower).map(|name| (apart, name.display().to_string()))
            };
            near.extend(nearest(&wanted, listing.beside(&wanted)).filter_map(as_it_is));
        }
        near.sort_unstable();
        let near: Vec<String> = near.into_iter().map(|(_, name)| name).take(3).collect();
        if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(", ")) }
    }
}

/// Whether a name in small letters is that of a picture.
fn is_picture(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| PICTURES.contains(&end))
}

/// Of names in small letters those that need few letters changed to be the wanted one, with how many.
fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = (usize, &'a str)> {
    let most = (wanted.chars().count() / 4).max(1);
    let apart = names.into_iter().map(move |name| (letters_apart(wanted, name), name));
    apart.filter(move |(apart, _)| *apart <= most)
}

/// How many letters must be changed, added or removed to make one text of another.
fn letters_apart(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut above_left = i;
        for (to, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let changed = above_left + usize::from(from != *to);
            above_left = *cell;
            *cell = changed.min(above_left + 1).min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
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
            ("sub/deep", Ok("model/sub/deep.png")),
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
    fn folders_of_the_user_are_searched_below_and_near_names_are_said() {
        let (home, model) = home();
        fs::create_dir_all(home.path().join("more/a/b")).unwrap();
        fs::write(home.path().join("more/a/b/Deep2.tga"), "deep2").unwrap();
        let folders = Folders::new(Some(&model), &[home.path().join("more")], &[]);
        for name in ["deep2.tga", "art/DEEP2.png", "deep2"] {
            assert_eq!(&*folders.open(name).unwrap(), b"deep2", "{name}");
        }
        let missing = folders.open("plein.png").unwrap_err();
        assert!(missing.reason.contains("did you mean plain.png"), "{}", missing.reason);
        let start = std::time::Instant::now();
        for i in 0..20_000 {
            assert!(folders.open(&format!("material{i}.mtl")).is_err());
        }
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    #[test]
    fn near_names_are_found_in_large_folders() {
        let folder = tempfile::tempdir().unwrap();
        for i in 0..3000 {
            fs::write(folder.path().join(format!("Wall{i:04}.png")), "").unwrap();
        }
        fs::write(folder.path().join("Helmet.png"), "").unwrap();
        let folders = Folders::new(Some(folder.path()), &[], &[]);
        for (name, expected) in [
            ("wall12344.png", "Wall1234.png"),
            ("hwlmet.png", "Helmet.png"),
            ("elmet.png", "Helmet.png"),
            ("mall0077.png", "Wall0077.png"),
        ] {
            let reason = folders.open(name).unwrap_err().reason;
            assert!(reason.contains(expected), "{name}: {reason}");
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
