//! The whole program on a million triangles: every conversion and look that matters, beside the program that others
//! use for it and beside a copy of the same bytes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::hills::hills;
use super::measured::{Measured, measure, measure_on, start_up};
use super::peers::{Peers, Tool};
use super::{Bench, Row, page};

/// Squares along a side of the model: a million triangles, half a million vertices.
const SIDE: u32 = 708;

/// The sides of the doubling series, each with twice the triangles of the one before.
const SERIES: [u32; 4] = [125, 177, 250, 354];

/// How often the program is started with nothing to do.
const STARTS: usize = 200;

/// The formats that a model is made in, by extension.
const FORMATS: [&str; 8] = ["bgl", "bmd", "bo3d", "das2", "dgl2", "obj", "ply", "stl"];

/// Runs of each program.
fn runs() -> usize {
    std::env::var("MENAGERIE_BENCH_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(super::RUNS)
        .max(1)
}

/// A piece of work.
struct Work {
    what: String,
    arguments: Vec<String>,
    /// The file that is read, for its size and for copying it.
    input: String,
    /// Seconds that it should take at most.
    goal: Option<f64>,
    peer: Option<(Tool, Vec<String>)>,
    /// On so many threads; `None` for all.
    threads: Option<usize>,
}

impl Work {
    fn new(what: impl Into<String>, arguments: &[&str], input: &str) -> Self {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self { what: what.into(), arguments, input: input.to_owned(), goal: None, peer: None, threads: None }
    }

    fn goal(self, seconds: f64) -> Self {
        Self { goal: Some(seconds), ..self }
    }

    fn against(self, tool: Tool, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self { peer: Some((tool, arguments)), ..self }
    }
}

/// Everything that is measured.
fn all_work() -> Vec<Work> {
    let convert = |from: &str, to: &str| {
        let (input, output) = (format!("hills.{from}"), format!("out.{to}"));
        Work::new(format!("{from} → {to}"), &["convert", "--rebuild", &input, &output], &input)
    };
    let assimp = |from: &str, to: &str| [format!("hills.{from}"), format!("peer.{to}")];
    let mut list = vec![
        convert("obj", "glb").against(Tool::Gltfpack, &["-noq", "-i", "hills.obj", "-o", "peer.glb"]),
        convert("obj", "glb").against(Tool::Obj2gltf, &["-i", "hills.obj", "-o", "peer.glb"]),
    ];
    for (from, to, goal) in
        [("obj", "glb", 0.3), ("stl", "glb", 0.2), ("ply", "glb", 0.2), ("glb", "obj", 0.25)]
    {
        let [input, output] = assimp(from, to);
        list.push(convert(from, to).goal(goal).against(Tool::Assimp, &["export", &input, &output]));
    }
    for (from, goal) in
        [("bgl", 0.12), ("bo3d", 0.12), ("das2", 0.12), ("bmd", 0.12), ("dgl2", 0.3), ("glb", 0.15)]
    {
        list.push(convert(from, "glb").goal(goal));
    }
    for (to, goal) in
        [("bmd", 0.7), ("das2", 0.3), ("bgl", 0.3), ("bo3d", 0.3), ("dgl2", 0.6), ("stl", 0.2), ("ply", 0.2)]
    {
        list.push(convert("glb", to).goal(goal));
    }
    list.push(
        Work::new(
            "simplify to 50 %",
            &["optimize", "--simplify", "0.5", "hills.glb", "out.glb"],
            "hills.glb",
        )
        .against(Tool::Gltfpack, &["-noq", "-si", "0.5", "-i", "hills.glb", "-o", "peer.glb"]),
    );
    list.push(Work::new("weld stl", &["optimize", "--weld", "hills.stl", "out.glb"], "hills.stl"));
    list.push(
        Work::new("glb → bmd, verified", &["convert", "--verify", "hills.glb", "out.bmd"], "hills.glb")
            .goal(1.4),
    );
    list.push(
        Work::new("validate glb", &["validate", "hills.glb"], "hills.glb")
            .against(Tool::GltfValidator, &["hills.glb"]),
    );
    for extension in FORMATS.into_iter().chain(["glb"]) {
        let input = format!("hills.{extension}");
        let work = Work::new(format!("info {extension}"), &["info", &input], &input);
        list.push(match extension {
            "obj" | "ply" | "stl" | "glb" => work.against(Tool::Trimesh, &[&input]),
            _ => work,
        });
    }
    for extension in ["ply", "obj"] {
        let input = format!("hills.{extension}");
        list.push(Work::new(format!("inspect {extension}"), &["inspect", &input], &input).goal(0.2));
    }
    let many = |what| Work::new(what, &["convert", "--to", "glb", "-r", "small", "out"], "");
    list.push(many("1000 small files → glb").goal(0.3));
    list.push(Work { threads: Some(1), ..many("1000 small files → glb, one thread") });
    list
}

/// What came of a piece of work.
struct Found {
    work: Work,
    bytes: u64,
    /// Bytes that were written.
    written: u64,
    ours: Measured,
    peer: Option<Result<Measured, String>>,
    /// Seconds to copy the same bytes in memory.
    copying: f64,
}

pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.folder.join("programs");
    std::fs::create_dir_all(&folder)?;
    make_files(bench, &folder)?;
    let peers = Peers::find(&bench.folder);
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for work in all_work() {
        eprintln!("{}", work.what);
        let _ = std::fs::remove_dir_all(folder.join("out"));
        let ours = match measure_on(work.threads, &bench.menagerie, &work.arguments, runs(), &folder) {
            Ok(ours) => ours,
            Err(error) => {
                failed.push(format!("{}: {error:#}", work.what));
                continue;
            }
        };
        let peer = work.peer.as_ref().map(|(tool, arguments)| {
            let (program, mut first) = peers.command(*tool)?;
            first.extend(arguments.iter().cloned());
            measure(&program, &first, runs().min(3), &folder)
                .map_err(|error| format!("{error:#}").lines().next().unwrap_or_default().to_owned())
        });
        let input = std::fs::metadata(folder.join(&work.input)).ok().filter(|_| !work.input.is_empty());
        let bytes = input.map_or(0, |file| file.len());
        let written = work.arguments.last().filter(|last| last.starts_with("out."));
        let written = written.and_then(|last| std::fs::metadata(folder.join(last)).ok());
        let written = written.map_or(0, |file| file.len());
        let copying = copy_in_memory(&folder.join(&work.input));
        found.push(Found { work, bytes, written, ours, peer, copying });
    }
    let series = series(bench, &folder)?;
    let starting = start_up(&bench.menagerie, &["--version"], STARTS)?;
    let raw: Vec<Value> = found.iter().map(Found::to_json).collect();
    let raw = json!({ "machine": machine(), "programs": peers.versions(), "runs": runs(), "work": raw, "start_seconds": starting, "starts": STARTS,
        "series": series.iter().map(|s| json!({ "what": s.what, "cpu_seconds": s.seconds })).collect::<Vec<_>>(),
        "triangles": SERIES.map(|side| 2 * side * side) });
    page::keep(&bench.root, "programs", &raw)?;
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(Vec::new())
}

/// Makes the model in every format, and a folder of a thousand small ones.
fn make_files(bench: &Bench, folder: &Path) -> Result<()> {
    let glb = folder.join("hills.glb");
    if !glb.exists() {
        std::fs::write(&glb, hills(SIDE, 1024))?;
    }
    for extension in FORMATS {
        make(bench, &glb, &folder.join(format!("hills.{extension}")))?;
    }
    for side in SERIES {
        let glb = folder.join(format!("series-{side}.glb"));
        if !glb.exists() {
            std::fs::write(&glb, hills(side, 64))?;
        }
        for extension in FORMATS {
            make(bench, &glb, &folder.join(format!("series-{side}.{extension}")))?;
        }
    }
    let small = folder.join("small");
    if !small.exists() {
        std::fs::create_dir_all(&small)?;
        let glb = folder.join("tiny.glb");
        std::fs::write(&glb, hills(10, 32))?;
        for (i, extension) in (0..1000).zip(["bgl", "bmd", "bo3d", "das2", "dgl2"].into_iter().cycle()) {
            let first = small.join(format!("model-{}.{extension}", i % 5));
            make(bench, &glb, &first)?;
            let file = small.join(format!("model-{i}.{extension}"));
            // A copy of a file onto itself would be empty.
            if !file.exists() {
                std::fs::copy(&first, file)?;
            }
        }
    }
    Ok(())
}

pub(super) fn make(bench: &Bench, glb: &Path, file: &Path) -> Result<()> {
    if file.exists() {
        return Ok(());
    }
    let status = Command::new(&bench.menagerie).arg("convert").arg(glb).arg(file).output()?.status;
    ensure!(matches!(status.code(), Some(0 | 1)), "{} cannot be made", file.display());
    Ok(())
}

/// Seconds to copy the bytes of a file into memory that was written before, the best of some.
fn copy_in_memory(file: &Path) -> f64 {
    let bytes = std::fs::read(file).unwrap_or_default();
    let mut copy = vec![1u8; bytes.len()];
    let once = |_| {
        let start = Instant::now();
        copy.copy_from_slice(std::hint::black_box(&bytes));
        std::hint::black_box(&mut copy);
        start.elapsed().as_secs_f64()
    };
    (0..super::RUNS).map(once).fold(f64::INFINITY, f64::min)
}

/// Processor seconds of reading and writing each format, at sizes that double.
struct Series {
    what: String,
    seconds: Vec<f64>,
}

fn series(bench: &Bench, folder: &Path) -> Result<Vec<Series>> {
    let mut all = Vec::new();
    for extension in FORMATS.into_iter().chain(["glb"]) {
        for (what, from, to) in [("reading", extension, "glb"), ("writing", "glb", extension)] {
            let mut seconds = Vec::new();
            for side in SERIES {
                let words = ["convert", "--rebuild", &format!("series-{side}.{from}"), &format!("out.{to}")];
                let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                let best = measure(&bench.menagerie, &words, runs(), folder)?.best();
                seconds.push(best.cpu.unwrap_or(best.wall));
            }
            all.push(Series { what: format!("{what} {extension}"), seconds });
        }
    }
    Ok(all)
}

/// The processor, how many of them, and the compiler.
pub(super) fn machine() -> String {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model.trim()).to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    format!("{model}, {cores} cores; {}", String::from_utf8_lossy(&rustc).trim())
}

impl Found {
    fn to_json(&self) -> Value {
        let peer = match (&self.work.peer, &self.peer) {
            (Some((tool, _)), Some(Ok(measured))) => {
                json!({ "name": tool.name(), "runs": measured.to_json() })
            }
            (Some((tool, _)), Some(Err(reason))) => json!({ "name": tool.name(), "not_run": reason }),
            _ => Value::Null,
        };
        json!({ "what": self.work.what, "arguments": self.work.arguments, "input_bytes": self.bytes, "output_bytes": self.written, "goal": self.work.goal,
            "runs": self.ours.to_json(), "peer": peer, "copy_seconds": self.copying })
    }
}

/// Where a program is, by the folders of PATH.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
