//! Options by the names that the program has for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use menagerie::Format;
use menagerie::convert::{ConvertOptions, HiddenParts};
use menagerie::formats::{self, FormatOption, MissingTextures, Purpose, ReadOptions, Settings, WriteOptions};
use menagerie::open::{Folders, Replacement};
use menagerie::ops::Op;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;

/// What may be asked for in reading and converting.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Options {
    from: Option<String>,
    fps: Option<f32>,
    texture_dir: Vec<PathBuf>,
    texture: Vec<String>,
    scale: Option<f32>,
    unit: Option<Unit>,
    flip_v: bool,
    r#for: Option<Whom>,
    strict: bool,
    embed_textures: Option<bool>,
    hidden: Option<Hidden>,
    missing_textures: Option<Missing>,
    lod: Vec<f32>,
    rebuild: bool,
    stem: Option<String>,
    /// The options of single formats, such as `bo3d-float`.
    #[serde(flatten)]
    of_formats: BTreeMap<String, Value>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    Mm,
    Cm,
    M,
    In,
    Ft,
    Engine,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Whom {
    Engine,
    Document,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Hidden {
    Drop,
    Show,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Missing {
    Name,
    Placeholder,
    Reference,
}

/// A format by its name or one of its extensions.
pub(crate) fn format(text: &str) -> Result<&'static Format, Failure> {
    let has = |format: &&Format| format.extensions.iter().any(|known| known.eq_ignore_ascii_case(text));
    Format::by_id(text).or_else(|| formats::known().find(has)).ok_or_else(|| {
        let known: Vec<&str> = formats::known().map(|format| format.id).collect();
        Failure::parameter(format!("there is no format {text}; there are {}", known.join(", ")))
    })
}

impl Options {
    /// From JSON, with every option known and every number sensible.
    pub(crate) fn parse(json: &str) -> Result<Self, Failure> {
        let options: Self =
            serde_json::from_str(json).map_err(|error| Failure::parameter(error.to_string()))?;
        for (name, value) in [("fps", options.fps), ("scale", options.scale)] {
            if value.is_some_and(|value| !value.is_finite() || value <= 0.0) {
                return Err(Failure::parameter(format!("{name} must be above zero and not infinite")));
            }
        }
        if let Some(part) = options.lod.iter().find(|part| !(**part > 0.0 && **part < 1.0)) {
            return Err(Failure::parameter(format!("lod: {part} is not between 0 and 1")));
        }
        options.settings(|_| true)?;
        Ok(options)
    }

    /// The format of the source, where it is not for the bytes to decide.
    pub(crate) fn source(&self) -> Result<Option<&'static Format>, Failure> {
        self.from.as_deref().map(format).transpose()
    }

    /// Where the files are that belong to a model.
    pub(crate) fn folders(&self, path: Option<&Path>) -> Result<Folders, Failure> {
        let folder = path.map(|path| match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        });
        let replacements: Result<Vec<Replacement>, String> =
            self.texture.iter().map(|text| Replacement::parse(text)).collect();
        let replacements = replacements.map_err(|wrong| Failure::parameter(format!("texture: {wrong}")))?;
        Ok(Folders::new(folder, &self.texture_dir, &replacements))
    }

    /// How to read.
    pub(crate) fn read<'a>(&self, folders: &'a Folders) -> Result<ReadOptions<'a>, Failure> {
        let mut read = ReadOptions::default();
        read.files = folders;
        read.fps = self.fps;
        read.settings = self.settings(|option| option.reading)?;
        Ok(read)
    }

    /// How to write a file with an extension.
    pub(crate) fn write(&self, to: &Format, extension: &str) -> Result<WriteOptions, Failure> {
        let mut write = WriteOptions::default();
        let known = to.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
        // Only where a format has several does the extension matter.
        write.extension = match to.extensions {
            [_, _, ..] if known => extension.to_ascii_lowercase(),
            [first, _, ..] => (*first).to_owned(),
            _ => String::new(),
        };
        write.stem = self.stem.clone().unwrap_or_default();
        write.fps = self.fps;
        write.purpose = match self.r#for {
            None => Purpose::Both,
            Some(Whom::Engine) => Purpose::Engine,
            Some(Whom::Document) => Purpose::Document,
        };
        write.embed_textures = self.embed_textures;
        write.missing_textures = match self.missing_textures {
            None | Some(Missing::Name) => MissingTextures::Name,
            Some(Missing::Placeholder) => MissingTextures::Placeholder,
            Some(Missing::Reference) => MissingTextures::Reference,
        };
        write.settings = self.settings(|_| true)?;
        Ok(write)
    }

    /// How to convert a file of a format to another.
    pub(crate) fn convert<'a>(
        &self,
        from: &'static Format,
        (to, extension): (&Format, &str),
        folders: &'a Folders,
    ) -> Result<ConvertOptions<'a>, Failure> {
        let mut options = ConvertOptions::default();
        options.read = self.read(folders)?;
        options.write = self.write(to, extension)?;
        options.from = self.source()?;
        options.scale = self.factor(from)?;
        options.flip_v = self.flip_v;
        options.strict = self.strict;
        options.rebuild = self.rebuild;
        options.hidden = match self.hidden {
            None | Some(Hidden::Drop) => HiddenParts::Drop,
            Some(Hidden::Show) => HiddenParts::Show,
        };
        if !self.lod.is_empty() {
            options.ops = vec![Op::Levels(self.lod.clone())];
        }
        Ok(options)
    }

    /// What all lengths are multiplied by.
    fn factor(&self, from: &Format) -> Result<Option<f32>, Failure> {
        let metres = match self.unit {
            None | Some(Unit::M) => 1.0,
            Some(Unit::Mm) => 0.001,
            Some(Unit::Cm) => 0.01,
            Some(Unit::In) => 0.0254,
            Some(Unit::Ft) => 0.3048,
            Some(Unit::Engine) => from.metres.ok_or_else(|| {
                let name = from.name;
                Failure::parameter(format!("nobody knows what one unit of {name} is; give unit or scale"))
            })?,
        };
        let factor = self.scale.unwrap_or(1.0) * metres;
        Ok((factor != 1.0).then_some(factor))
    }

    /// The options of single formats.
    fn settings(&self, wanted: impl Fn(&FormatOption) -> bool) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for (name, value) in &self.of_formats {
            let mut all = formats::known().flat_map(|format| format.options);
            let Some(option) = all.find(|option| option.name == name) else {
                let name = name.replace('-', "_");
                return Err(Failure::parameter(format!("there is no option {name}")));
            };
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            if !option.values.is_empty() && !option.values.contains(&text.as_str()) {
                let message = format!("{name} is one of {}, not {text}", option.values.join(", "));
                return Err(Failure::parameter(message));
            }
            if wanted(option) {
                settings.set(option.name, text);
            }
        }
        Ok(settings)
    }
}
