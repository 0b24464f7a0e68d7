//! The programs that others use.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::programs::on_path;
use super::python_with;

/// A program that does the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Assimp,
    Gltfpack,
    Obj2gltf,
    GltfValidator,
    Trimesh,
}

/// All of them.
const TOOLS: [Tool; 5] = [Tool::Assimp, Tool::Gltfpack, Tool::Obj2gltf, Tool::GltfValidator, Tool::Trimesh];

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Assimp => "assimp",
            Self::Gltfpack => "gltfpack",
            Self::Obj2gltf => "obj2gltf",
            Self::GltfValidator => "gltf-validator",
            Self::Trimesh => "trimesh",
        }
    }
}

/// A program with its first arguments, or why there is none.
type Found = Result<(PathBuf, Vec<String>), String>;

/// Where they are, or why they are not there.
pub(crate) struct Peers {
    found: Vec<(Tool, Found)>,
    versions: String,
}

/// What trimesh is asked to do.
const TRIMESH: &str = "import sys, trimesh; trimesh.load(sys.argv[1], process=False)";

/// What the Khronos validator is asked to do.
const VALIDATE: &str = "const v = require('gltf-validator'), fs = require('fs'); \
    v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then(r => process.exit(r.issues.numErrors ? 1 : 0));";

impl Peers {
    /// Looks for them; what npm and pip have is put into a folder of its own.
    pub(crate) fn find(folder: &Path) -> Self {
        let modules = folder.join("node");
        let npm = npm(&modules, &["gltfpack", "obj2gltf", "gltf-validator"]);
        let in_modules = |name: &str| {
            let program = modules.join("node_modules/.bin").join(name);
            let missing = || npm.clone().err().unwrap_or_else(|| "npm did not bring it".to_owned());
            if program.exists() { Ok((program, Vec::new())) } else { Err(missing()) }
        };
        let find = |tool: Tool| match tool {
            Tool::Assimp => on_path("assimp")
                .map(|program| (program, Vec::new()))
                .ok_or_else(|| "there is no program assimp; Debian has it in assimp-utils".to_owned()),
            Tool::Gltfpack => on_path("gltfpack")
                .map(|program| Ok((program, Vec::new())))
                .unwrap_or_else(|| in_modules("gltfpack")),
            Tool::Obj2gltf => in_modules("obj2gltf"),
            Tool::GltfValidator => {
                let library = modules.join("node_modules/gltf-validator");
                let node = on_path("node").filter(|_| library.exists());
                let script =
                    VALIDATE.replace("'gltf-validator'", &format!("{:?}", library.display().to_string()));
                node.map(|node| (node, vec!["-e".to_owned(), script]))
                    .ok_or_else(|| npm.clone().err().unwrap_or_else(|| "there is no node".to_owned()))
            }
            Tool::Trimesh => python_with("trimesh", folder)
                .map(|python| (python, vec!["-c".to_owned(), TRIMESH.to_owned()])),
        };
        let found: Vec<_> = TOOLS.into_iter().map(|tool| (tool, find(tool))).collect();
        let versions = versions(folder, &modules);
        Self { found, versions }
    }

    /// The program and its first arguments.
    pub(crate) fn command(&self, tool: Tool) -> Found {
        let found = self.found.iter().find(|(known, _)| *known == tool);
        found.map_or_else(|| Err("not looked for".to_owned()), |(_, found)| found.clone())
    }

    /// Their versions, and which are missing.
    pub(crate) fn versions(&self) -> String {
        let missing = self.found.iter().filter(|(_, found)| found.is_err());
        let missing: Vec<&str> = missing.map(|(tool, _)| tool.name()).collect();
        match missing.as_slice() {
            [] => self.versions.clone(),
            missing => format!("{} Missing: {}.", self.versions, missing.join(", ")),
        }
    }
}

fn npm(folder: &Path, packages: &[&str]) -> Result<(), String> {
    if packages.iter().all(|package| folder.join("node_modules").join(package).exists()) {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let output = Command::new("npm")
        .args(["install", "--silent", "--no-save"])
        .args(packages)
        .current_dir(folder)
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("npm failed").to_owned())
        }
        Err(error) => Err(format!("npm cannot be run: {error}")),
    }
}

fn versions(folder: &Path, modules: &Path) -> String {
    let mut list = Vec::new();
    let text = |mut command: Command| {
        let output = command.output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().find(|line| line.chars().any(|c| c.is_ascii_digit())).map(|line| line.trim().to_owned())
    };
    let mut assimp = Command::new("assimp");
    assimp.arg("version");
    list.extend(text(assimp).map(|line| format!("assimp: {line}")));
    for package in ["gltfpack", "obj2gltf", "gltf-validator"] {
        let file = std::fs::read(modules.join("node_modules").join(package).join("package.json"))
            .unwrap_or_default();
        let version = serde_json::from_slice::<serde_json::Value>(&file).ok();
        let version = version.and_then(|value| Some(value["version"].as_str()?.to_owned()));
        list.extend(version.map(|version| format!("{package} {version}")));
    }
    let mut trimesh = Command::new(folder.join("trimesh-venv/bin/python"));
    trimesh.args(["-c", "import trimesh; print('trimesh', trimesh.__version__)"]);
    list.extend(text(trimesh));
    format!("{}.", list.join(", "))
}
