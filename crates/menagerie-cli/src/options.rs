//! Options that several verbs share.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use menagerie::bytes::Limits;
use menagerie::formats::{self, Format, FormatOption, Settings};

use crate::names;
use menagerie::open::{Listings, Replacement};

/// How files are found and told apart.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Finding {
    /// The format of the input, when its bytes and its name are not to decide
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) from: Option<&'static Format>,
    /// Look for textures and other files of the model in this folder too (may be repeated)
    #[arg(long = "texture-dir", value_name = "DIR")]
    pub(crate) texture_dirs: Vec<PathBuf>,
    /// Use FILE, found by the same rules, for the texture that the model calls NAME (by base name; may be repeated)
    #[arg(long = "texture", value_name = "NAME=FILE", value_parser = Replacement::parse)]
    pub(crate) textures: Vec<Replacement>,
    /// What was seen of the folders, for all files of a run.
    #[arg(skip)]
    pub(crate) listings: Listings,
    #[command(flatten)]
    pub(crate) cost: Cost,
    #[command(flatten)]
    pub(crate) settings: FormatSettings<true>,
}

/// What a file may cost.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What a file may cost")]
pub(crate) struct Cost {
    /// Refuse a file that needs more memory than this: 500M, 2G (default: 256M and 64 times the file)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Refuse to write more than this for a file (default: 256M and 64 times the file)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_output: Option<u64>,
    /// Give up on a file after so many seconds (default: never)
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) max_time: Option<f32>,
}

impl Cost {
    /// The limits of a job that begins now.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        if let Some(bytes) = self.max_memory {
            (limits.memory_bytes, limits.memory_ratio) = (bytes, 0);
        }
        if let Some(bytes) = self.max_output {
            (limits.output_bytes, limits.output_ratio) = (bytes, 0);
        }
        if let Some(seconds) = self.max_time {
            let used = limits.used.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs_f32(seconds.min(1e9)));
                used.stop();
            });
        }
        limits
    }
}

/// A number of bytes: `1000`, `64k`, `500M`, `2G`, in powers of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("a size is a number with K, M or G behind it".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "a size is a number with K, M or G behind it".to_owned())?;
    number
        .checked_shl(shift)
        .filter(|bytes| bytes >> shift == number)
        .ok_or_else(|| "it is too large".to_owned())
}

/// A format by its name or one of its extensions.
pub(crate) fn format(text: &str) -> Result<&'static Format, String> {
    let by_extension = || formats::ALL.iter().copied().find(|format| has_extension(format, text));
    Format::by_id(text).or_else(by_extension).ok_or_else(|| {
        let known: Vec<&str> = formats::ALL.iter().map(|format| format.id).collect();
        let near = names::did_you_mean(text, known.iter().copied());
        format!("there is no format {text}{near}; there are {}", known.join(", "))
    })
}

/// Whether `extension`, without its dot, is one of the format's.
pub(crate) fn has_extension(format: &Format, extension: &str) -> bool {
    format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// A number above zero.
pub(crate) fn positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        Ok(_) => Err("it must be above zero and not infinite".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A number not below zero.
pub(crate) fn not_negative(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        Ok(_) => Err("it must not be below zero nor infinite".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The options that single formats have, such as `--bo3d-float 16`: those that change what reading gives, or the
/// others. They come from the registry: a new format's options are there by themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatSettings<const READING: bool>(pub(crate) Settings);

impl<const READING: bool> FormatSettings<READING> {
    fn options() -> impl Iterator<Item = &'static FormatOption> {
        let all = formats::ALL.iter().flat_map(|format| format.options);
        all.filter(|option| option.reading == READING)
    }
}

impl<const READING: bool> FromArgMatches for FormatSettings<READING> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in Self::options() {
            if let Some(value) = matches.get_one::<String>(option.name) {
                self.0.set(option.name, value);
            }
        }
        Ok(())
    }
}

impl<const READING: bool> Args for FormatSettings<READING> {
    fn augment_args(command: Command) -> Command {
        Self::options().fold(command, |command, option| {
            let arg = Arg::new(option.name)
                .long(option.name)
                .value_name("VALUE")
                .help(option.help)
                .help_heading("Options of single formats");
            command.arg(match option.values {
                [] => arg,
                values => arg.value_parser(PossibleValuesParser::new(values)),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
