//! Whatever a file claims, a job takes no more memory than SECURITY.md says: a constant and a multiple of the file.

#![allow(unsafe_code, reason = "an allocator that counts has to be one")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "it is a test"
)]

#[path = "memory/changes.rs"]
mod changes;
#[path = "memory/counting.rs"]
mod counting;
#[path = "memory/operations.rs"]
mod operations;
#[path = "memory/streaming.rs"]
mod streaming;
#[path = "../../menagerie/tests/library/support"]
#[allow(dead_code, unreachable_pub, reason = "other tests use other parts")]
mod support {
    pub mod bombs;
    pub mod damage;
    pub mod operations;
    pub mod promises;
    pub mod scenes;
}

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use counting::{ASKED, CALLS, NOW, PEAK};
use menagerie::bytes::Limits;
use menagerie::convert::{ConvertOptions, convert, missing_pictures, resolve_textures_within};
use menagerie::diff::{DiffOptions, diff_within};
use menagerie::formats::{ALL, Format, ReadOptions, layout_within};
use menagerie::scene::check;
use menagerie_render::{Shot, Stage};
use std::sync::atomic::Ordering::Relaxed;
use support::bombs::{self, Bomb};

/// What a job did, in a word, and whether it was refused for a limit.
type Job = (&'static str, Box<dyn Fn(&Bomb, &Limits) -> Option<String>>);

fn read_options(limits: &Limits) -> ReadOptions<'static> {
    let mut options = ReadOptions::default();
    options.limits = limits.clone();
    options
}

fn limit_of(issues: &menagerie::diag::Issues) -> Option<String> {
    issues.iter().find(|issue| issue.code.id == "file/limit").map(ToString::to_string)
}

fn jobs() -> Vec<Job> {
    let mut jobs: Vec<Job> = vec![
        (
            "validate",
            Box::new(|bomb, limits| {
                let options = read_options(limits);
                let mut reading = bomb.format.open(&bomb.bytes, &options);
                if let Some(mut scene) = reading.examine(&options) {
                    let textures = resolve_textures_within(&mut scene, options.files, limits);
                    let model = reading.model.as_deref();
                    let missing = model.map(|model| missing_pictures(model, &bomb.bytes, &textures, limits));
                    reading.issues.extend(missing.unwrap_or_default());
                }
                limit_of(&reading.issues)
            }),
        ),
        (
            "info",
            Box::new(|bomb, limits| {
                let options = read_options(limits);
                let mut reading = bomb.format.open(&bomb.bytes, &options);
                reading.examine(&options);
                limit_of(&reading.issues)
            }),
        ),
        (
            "inspect",
            Box::new(|bomb, limits| {
                let reading = bomb.format.open(&bomb.bytes, &read_options(limits));
                let map = reading.model.as_ref().map(|model| layout_within(model.as_ref(), limits));
                match map {
                    Some(Err(over)) => Some(over.to_string()),
                    _ => limit_of(&reading.issues),
                }
            }),
        ),
        (
            "diff",
            Box::new(|bomb, limits| {
                let options = read_options(limits);
                let mut reading = bomb.format.open(&bomb.bytes, &options);
                // Each of the two files has a budget of its own, as in the program.
                let other = read_options(&limits.renewed());
                let mut again = bomb.format.open(&bomb.bytes, &other);
                let (a, b) = (reading.lift(&options), again.lift(&other));
                if let (Some(a), Some(b)) = (a, b)
                    && let (Ok(a), Ok(b)) = (check(&a), check(&b))
                {
                    match diff_within(a, b, &DiffOptions::default(), limits) {
                        Ok(report) => assert!(report.is_equal(), "{} differs from itself", bomb.name),
                        Err(over) => return Some(over.to_string()),
                    }
                }
                limit_of(&reading.issues)
            }),
        ),
        (
            "render",
            Box::new(|bomb, limits| {
                let options = read_options(limits);
                let mut reading = bomb.format.open(&bomb.bytes, &options);
                if let Some(scene) = reading.lift(&options)
                    && let Ok(scene) = check(&scene)
                {
                    let stage = Stage::within(scene, limits);
                    let mut shot = Shot::default();
                    (shot.width, shot.height) = (64, 64);
                    let _ = stage.take(&shot);
                }
                limit_of(&reading.issues)
            }),
        ),
    ];
    for to in ALL {
        jobs.push((
            to.id,
            Box::new(|bomb, limits| {
                let mut options = ConvertOptions::default();
                options.read.limits = limits.clone();
                options.from = Some(bomb.format);
                options.rebuild = true;
                match convert(&bomb.bytes, None, to, &options) {
                    Ok(done) => {
                        let written = done.output.bytes.len() as u64;
                        assert!(written <= limits.output_bytes + limits.output_ratio * limits.used.input());
                        limit_of(&done.issues)
                    }
                    Err(failed) => limit_of(&failed.issues),
                }
            }),
        ));
    }
    jobs
}

/// The attack files that are there: the project's own, and those of the shared folder.
fn attacks() -> Vec<Bomb> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../menagerie/tests/corpus/attack", "../../../shared/corpus/attack"];
    let mut files = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(manifest.join(folder)) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Ok((format, _)) = Format::detect(&bytes, Some(&name)) else { continue };
            files.push(Bomb { name, format, bytes });
        }
    }
    files
}

/// Tests that count what all threads ask for run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// Twice as many parts ask for twice as much, a little more or less: nothing is copied for each of the others.
#[test]
fn twice_as_many_parts_are_twice_the_work() {
    let _alone = ALONE.lock();
    let mut wrong = Vec::new();
    let series = |n: usize| bombs::series(n);
    let pairs = series(400).into_iter().zip(series(800));
    for (small, large) in pairs {
        let title = format!("{}/{}", small.format.id, small.name);
        for (job, run) in jobs() {
            let work = |bomb: &Bomb| {
                let before = (ASKED.load(Relaxed), CALLS.load(Relaxed));
                let _ = run(bomb, &Limits::default());
                (ASKED.load(Relaxed) - before.0, CALLS.load(Relaxed) - before.1)
            };
            let ((bytes, calls), (twice_bytes, twice_calls)) = (work(&small), work(&large));
            let ratio = |once: usize, twice: usize| twice as f64 / once.max(1) as f64;
            let (by_bytes, by_calls) = (ratio(bytes, twice_bytes), ratio(calls, twice_calls));
            if std::env::var_os("LINEAR").is_some() {
                println!("| {title} | {job} | {by_bytes:.2} | {by_calls:.2} |");
            }
            // What is constant makes it less, lists that double make it a little more.
            if by_bytes > 2.6 || by_calls > 2.4 {
                wrong.push(format!("{title}: {job}: bytes {by_bytes:.2}, calls {by_calls:.2}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The constant of memory in limits that small files meet too.
const TIGHT: u64 = 16 << 20;

#[test]
fn no_file_takes_more_than_a_constant_and_a_multiple_of_its_size() {
    let _alone = ALONE.lock();
    // More, and all of it said: BOMBS=10 cargo test --release -p menagerie-cli --test budget -- --nocapture
    // BOMBS_TO=folder writes the files there, for trying the program on them.
    let scale = std::env::var("BOMBS").ok().and_then(|scale| scale.parse().ok());
    let only = std::env::var("BOMB").ok();
    let mut over = Vec::new();
    let mut bombs = bombs::bombs(scale.unwrap_or(1));
    if let Some(folder) = std::env::var_os("BOMBS_TO") {
        for Bomb { name, format, bytes } in &bombs {
            let name = format!("{}-{name}.{}", format.id, format.extensions[0]);
            std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
        }
        return;
    }
    bombs.extend(attacks());
    for bomb in &bombs {
        let title = format!("{}/{}", bomb.format.id, bomb.name);
        if only.as_ref().is_some_and(|only| !title.contains(only.as_str())) {
            continue;
        }
        for (job, run) in jobs() {
            let measured = |limits: Limits| {
                let before = NOW.load(Relaxed);
                PEAK.store(before, Relaxed);
                let start = Instant::now();
                let refused = run(bomb, &limits);
                let peak = (PEAK.load(Relaxed) - before) as u64;
                // Comparing needs both files and what is compared of them.
                let allowed = limits.memory() * if job == "diff" { 2 } else { 1 };
                if scale.is_some() || only.is_some() {
                    println!(
                        "{title:40} {:9} B {job:9} peak {:6.1} MB of {:6.1}, counted {:6.1}, {:6.2} s {}",
                        bomb.bytes.len(),
                        peak as f64 / 1e6,
                        allowed as f64 / 1e6,
                        limits.used.memory() as f64 / 1e6,
                        start.elapsed().as_secs_f64(),
                        refused.unwrap_or_default()
                    );
                }
                (peak, allowed)
            };
            let (peak, allowed) = measured(Limits::default());
            // Where tighter limits are in the way, they show what a larger file would take, but for what is small.
            let mut tight = Limits::default();
            tight.memory_bytes = TIGHT;
            let tight =
                (peak > TIGHT).then(|| measured(tight)).map(|(peak, allowed)| (peak, allowed + allowed / 8));
            for (peak, allowed) in [Some((peak, allowed)), tight].into_iter().flatten() {
                if peak > allowed {
                    over.push(format!("{title}: {job} takes {peak} bytes, {allowed} are allowed"));
                }
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
