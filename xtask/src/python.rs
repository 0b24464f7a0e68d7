//! The Python package: its wheel, and its tests in a virtual environment of their own below the target folder.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::steps::{Outcome, cargo_program, program_of_tests, run_command};

/// What building the wheel needs.
const BUILD: [&str; 1] = ["maturin==1.16.*"];
/// What its tests need.
const TEST: [&str; 5] =
    ["maturin==1.16.*", "numpy>=1.26,<3", "pytest>=8,<10", "mypy>=1.15,<3", "trimesh>=4,<6"];

/// What a cluster needs.
const CLUSTER: [&str; 2] = ["ray[data]>=2.40,<3", "numpy>=1.26,<3"];
/// Files of the cluster's trial: enough for some tasks, of which one is killed.
const CLUSTER_FILES: &str = "400";

/// How a wheel is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// With what the tests have built already.
    Dev,
    /// For use.
    Release,
}

impl Profile {
    fn folder(self, root: &Path) -> PathBuf {
        root.join("target/python").join(match self {
            Self::Dev => "dev-wheel",
            Self::Release => "wheel",
        })
    }

    /// The wheel that was built last.
    pub(crate) fn built(self, root: &Path) -> Result<PathBuf> {
        let folder = self.folder(root);
        let entries = std::fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
        let mut wheels = entries.filter_map(|entry| Some(entry.ok()?.path()));
        wheels.find(|path| path.extension().is_some_and(|e| e == "whl")).context("no wheel was built")
    }
}

/// A virtual environment.
pub(crate) struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The environment of a name with some packages, made if it is not there; a sentence where that cannot be done.
    pub(crate) fn ready(
        root: &Path,
        name: &str,
        interpreter: Interpreter,
        packages: &[&str],
    ) -> Result<Result<Self, String>> {
        let environment = Self { folder: root.join("target/python").join(name) };
        let (stamp, wanted) = (environment.folder.join("packages.txt"), packages.join("\n"));
        if std::fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
            return Ok(Ok(environment));
        }
        let Some(python) = interpreter.found() else {
            return Ok(Err(format!("{interpreter} is missing")));
        };
        let _ = std::fs::remove_dir_all(&environment.folder);
        let mut make = Command::new(python);
        make.args(["-m", "venv"]).arg(&environment.folder);
        if !matches!(run_command(&mut make)?, Outcome::Passed) {
            return Ok(Err(
                "Python cannot make a virtual environment; is its venv module installed?".to_owned()
            ));
        }
        let mut install = environment.python();
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        if !matches!(run_command(&mut install)?, Outcome::Passed) {
            return Ok(Err(format!("pip cannot install {}", packages.join(", "))));
        }
        std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(Ok(environment))
    }

    /// A command of its Python.
    pub(crate) fn python(&self) -> Command {
        let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        let mut command = Command::new(self.folder.join(program));
        command.env_remove("PYTHONPATH").env_remove("PYTHONHOME");
        command
    }

    /// Puts a wheel in place of an older one.
    pub(crate) fn install(&self, wheel: &Path) -> Result<()> {
        let mut install = self.python();
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install.args(["--force-reinstall", "--no-deps"]).arg(wheel);
        match run_command(&mut install)? {
            Outcome::Passed => Ok(()),
            _ => bail!("pip cannot install {}", wheel.display()),
        }
    }

    /// Builds the wheel.
    pub(crate) fn wheel(&self, root: &Path, profile: Profile) -> Result<PathBuf> {
        let folder = profile.folder(root);
        let _ = std::fs::remove_dir_all(&folder);
        let mut build = self.python();
        build.args(["-m", "maturin", "build", "--quiet", "--out"]).arg(&folder);
        build.args(match profile {
            Profile::Dev => ["--profile", "dev", "--features", "as_tested"].as_slice(),
            Profile::Release => &["--release"],
        });
        build.env("CARGO", cargo_program()).current_dir(root.join("python"));
        if !matches!(run_command(&mut build)?, Outcome::Passed) {
            bail!("maturin cannot build the wheel");
        }
        profile.built(root)
    }
}

/// Which Python is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Interpreter {
    /// Any that the package supports.
    Any,
    /// One version, by its two numbers.
    Exactly(u8, u8),
}

impl Interpreter {
    /// The first program that is such a Python.
    fn found(self) -> Option<String> {
        let (named, test) = match self {
            Self::Any => (None, "sys.version_info >= (3, 9)".to_owned()),
            Self::Exactly(major, minor) => (
                Some(format!("python{major}.{minor}")),
                format!("sys.version_info[:2] == ({major}, {minor})"),
            ),
        };
        let fits = |program: &String| {
            let mut ask = Command::new(program);
            ask.args(["-c", &format!("import sys, venv; sys.exit(not {test})")]);
            ask.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        named.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(fits)
    }
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => write!(f, "Python 3.9 or later"),
            Self::Exactly(major, minor) => write!(f, "Python {major}.{minor}"),
        }
    }
}

/// The environment that wheels are built in.
pub(crate) fn build_environment(root: &Path) -> Result<Environment> {
    Environment::ready(root, "build", Interpreter::Any, &BUILD)?.map_err(|reason| anyhow::anyhow!(reason))
}

/// `cargo xtask python`: the wheel for use, below `target/python/wheel`.
pub(crate) fn build(root: &Path) -> Result<bool> {
    println!("{}", build_environment(root)?.wheel(root, Profile::Release)?.display());
    Ok(true)
}

/// The wheel that the steps of the tests share.
pub(crate) fn build_for_tests(root: &Path) -> Result<Outcome> {
    build_environment(root)?.wheel(root, Profile::Dev)?;
    Ok(Outcome::Passed)
}

/// Makes the environments of all steps, which is mostly waiting for packages; where one cannot be made its step says so again.
pub(crate) fn environments(root: &Path) -> Result<Outcome> {
    let wanted: [(&str, Interpreter, &[&str]); 4] = [
        ("build", Interpreter::Any, &BUILD),
        ("test", Interpreter::Any, &TEST),
        ("cluster", Interpreter::Any, &CLUSTER),
        ("blender", crate::blender::PYTHON, &crate::blender::TEST),
    ];
    for (name, interpreter, packages) in wanted {
        if let Err(reason) = Environment::ready(root, name, interpreter, packages)? {
            return Ok(Outcome::Skipped(reason));
        }
    }
    Ok(Outcome::Passed)
}

/// Installs the wheel and runs its tests, its examples and the check of its types.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    let environment = match Environment::ready(root, "test", Interpreter::Any, &TEST)? {
        Ok(environment) => environment,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    environment.install(&Profile::Dev.built(root)?)?;
    let program = program(root);
    // From a folder without the package's sources, which would be taken in place of what is installed.
    let steps: [(&str, &[&str]); 2] = [
        ("python", &["-m", "mypy", "--cache-dir", "../target/python/mypy", "--no-error-summary"]),
        ("python/tests", &["-m", "pytest", "-q", "-p", "no:cacheprovider", "."]),
    ];
    for (folder, arguments) in steps {
        let mut command = environment.python();
        command.args(arguments).current_dir(root.join(folder)).env("MENAGERIE_PROGRAM", &program);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        if let failed @ Outcome::Failed(_) = run_command(&mut command)? {
            return Ok(failed);
        }
    }
    Ok(Outcome::Passed)
}

/// Converts files on two Ray nodes of this machine: with a worker killed in the middle, stopped and started again, and with
/// other numbers of workers, the manifest is the same.
pub(crate) fn test_cluster(root: &Path) -> Result<Outcome> {
    let environment = match Environment::ready(root, "cluster", Interpreter::Any, &CLUSTER)? {
        Ok(environment) => environment,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    environment.install(&Profile::Dev.built(root)?)?;
    let mut trial = environment.python();
    trial.arg(root.join("python/examples/cluster_trial.py")).args(["--files", CLUSTER_FILES, "--out"]);
    trial.arg(root.join("target/python/cluster-trial")).current_dir(root.join("target/python"));
    // Nothing is to be sent anywhere.
    run_command(trial.env("RAY_USAGE_STATS_ENABLED", "0").env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The same after the wheel was built, and the program, which the package is compared with.
pub(crate) fn test_alone(root: &Path) -> Result<Outcome> {
    program_of_tests(root)?;
    build_for_tests(root)?;
    test(root)
}

/// The same after the wheel was built.
pub(crate) fn test_cluster_alone(root: &Path) -> Result<Outcome> {
    build_for_tests(root)?;
    test_cluster(root)
}

/// The program that the tests have built.
fn program(root: &Path) -> PathBuf {
    root.join("target/debug/menagerie").with_extension(std::env::consts::EXE_EXTENSION)
}
