//! The short way: a file, its Scene, another file.
//!
//! Everything here is a few calls of the levels below ([`formats`](crate::formats), [`scene`](crate::scene),
//! [`convert`](crate::convert)); whoever needs more control calls those.

#[cfg(feature = "fs")]
mod disk;
mod error;
#[cfg(feature = "fs")]
mod folders;
mod given;
mod names;

#[cfg(feature = "fs")]
pub use disk::open;
pub use error::Error;
#[cfg(feature = "fs")]
pub use folders::{Folders, Listings, Replacement};
pub use given::Given;

use std::fmt;
use std::sync::Arc;

use crate::bytes::SharedBytes;
use crate::convert::{Conversion, ConvertOptions, Failed, convert, lower, resolve_textures};
use crate::diag::{Issues, LossReport};
use crate::formats::{FileModel, Files, Format, NoFiles, Output, ReadOptions, Summary, WriteOptions};
use crate::scene::Scene;

/// A model that was read: the file as it is, and what is wrong with it.
pub struct Model {
    bytes: SharedBytes,
    name: Option<String>,
    files: Arc<dyn Files + Send + Sync>,
    file: Box<dyn FileModel>,
    issues: Issues,
}

/// Reads a model from its bytes, whatever its format.
///
/// ```
/// # let bytes = menagerie::formats::bo3d::Model::default().to_bytes();
/// let model = menagerie::from_bytes(bytes)?;
/// println!("{}: {} nodes", model.format().name, model.scene()?.nodes.len());
/// for issue in model.issues().iter() {
///     eprintln!("{}: {issue}", issue.code);
/// }
/// # Ok::<(), menagerie::Error>(())
/// ```
pub fn from_bytes(bytes: impl Into<SharedBytes>) -> Result<Model, Error> {
    Model::read(bytes.into(), None, Arc::new(NoFiles))
}

impl Model {
    /// Reads a model from its bytes. The name tells formats apart whose bytes do not; `files` has the pictures and
    /// buffers that the model names.
    pub fn read(
        bytes: SharedBytes,
        name: Option<String>,
        files: Arc<dyn Files + Send + Sync>,
    ) -> Result<Self, Error> {
        let (format, warning) =
            Format::detect(&bytes, name.as_deref()).map_err(|issue| Failed::of(None, issue))?;
        let reading = {
            let options = ReadOptions { files: files.as_ref(), ..ReadOptions::default() };
            format.open_shared(&bytes, &options)
        };
        let mut issues = reading.issues;
        issues.extend(warning);
        match reading.model {
            Some(file) => Ok(Self { bytes, name, files, file, issues }),
            None => Err(Failed { from: Some(format), issues }.into()),
        }
    }

    /// Its format.
    pub fn format(&self) -> &'static Format {
        self.file.format()
    }

    /// The file as it is: its summary, byte map, and bytes.
    pub fn file(&self) -> &dyn FileModel {
        self.file.as_ref()
    }

    /// What is in it, at a glance.
    pub fn summary(&self) -> Summary {
        self.file.summary()
    }

    /// What is wrong with it.
    pub fn issues(&self) -> &Issues {
        &self.issues
    }

    /// The Scene that it means, with the pictures that were found.
    pub fn scene(&self) -> Result<Scene, Error> {
        let options = ReadOptions { files: self.files.as_ref(), ..ReadOptions::default() };
        let lifted = self.file.lift(&options).map_err(|issue| Failed::of(Some(self.format()), issue))?;
        let mut scene = lifted.scene;
        resolve_textures(&mut scene, self.files.as_ref());
        Ok(scene)
    }

    /// The model in another format, with what that cost.
    pub fn convert(&self, to: &'static Format) -> Result<Conversion, Error> {
        let mut options = ConvertOptions::default();
        options.read.files = self.files.as_ref();
        options.read.shared = Some(self.bytes.clone());
        options.from = Some(self.format());
        Ok(convert(&self.bytes, self.name.as_deref(), to, &options)?)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("format", &self.format().id)
            .field("bytes", &self.bytes.len())
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A Scene that was written in some format.
#[derive(Debug)]
pub struct Written {
    /// The file, and the files that belong beside it.
    pub output: Output,
    /// What the format could not hold.
    pub losses: LossReport,
}

impl Scene {
    /// Writes the Scene in a format, with what that cost.
    ///
    /// ```
    /// use menagerie::{Format, Scene};
    ///
    /// let written = Scene::default().write(Format::by_id("gltf").unwrap())?;
    /// assert!(written.losses.is_lossless());
    /// assert_eq!(&written.output.bytes[..4], b"glTF");
    /// # Ok::<(), menagerie::Error>(())
    /// ```
    pub fn write(&self, format: &'static Format) -> Result<Written, Error> {
        self.write_with(format, &WriteOptions::default())
    }

    /// The same with options.
    pub fn write_with(&self, format: &'static Format, options: &WriteOptions) -> Result<Written, Error> {
        let (output, losses) =
            lower(self.clone(), format, options).map_err(|issue| Failed::of(None, issue))?;
        Ok(Written { output, losses })
    }

    /// Writes the Scene to a file in the format of its extension, with what belongs beside it, and says what that cost.
    /// The file takes its place when it is whole.
    #[cfg(feature = "fs")]
    pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<LossReport, Error> {
        disk::save(self, path.as_ref())
    }
}
