//! docs/bench.md and the README's figures, made of the raw runs in bench/runs.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Where the README has its figures.
const MARKS: (&str, &str) = ("<!-- speed: made by `cargo xtask bench` -->\n", "<!-- end of speed -->");

/// Keeps the raw runs of a comparison, and makes the page again.
pub(super) fn keep(root: &Path, name: &str, runs: &Value) -> Result<()> {
    let folder = root.join("bench/runs");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(format!("{name}.json")), format!("{runs:#}\n"))?;
    write(root)
}

/// The page, and the README with its figures, of the runs that are there.
fn made(root: &Path) -> Result<(String, String)> {
    let runs = |name: &str| -> Value {
        let text = std::fs::read(root.join("bench/runs").join(format!("{name}.json"))).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    };
    let (programs, python, read) = (runs("programs"), runs("python"), runs("read"));
    let short = in_short(&programs, &python);
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let readme = between_marks(&readme, &short).context("README.md has no place for the figures")?;
    Ok((page(&programs, &python, &read, &short), readme))
}

/// Makes the page and the README's figures again.
pub(super) fn write(root: &Path) -> Result<()> {
    let (page, readme) = made(root)?;
    for (name, text) in [("docs/bench.md", page), ("README.md", readme)] {
        std::fs::write(root.join(name), text).with_context(|| format!("cannot write {name}"))?;
        println!("{name} is written");
    }
    Ok(())
}

/// The README with other figures; `None` when it has no place for them.
fn between_marks(readme: &str, figures: &str) -> Option<String> {
    let (before, rest) = readme.split_once(MARKS.0)?;
    let (_, after) = rest.split_once(MARKS.1)?;
    Some([before, MARKS.0, figures, MARKS.1, after].concat())
}

fn page(programs: &Value, python: &Value, read: &Value, short: &str) -> String {
    let mut page = format!(
        "# How fast it is\n\nMade by `cargo xtask bench`; the raw runs are in `bench/runs`. A model of a million \
         triangles and half a million vertices with normals and texture coordinates; the best of {} runs of the whole \
         program, from its start to its end. Only ratios in one run count: machines differ, and this one does other work \
         too, which adds to the time but hardly to the time of the processor. Memory is the most that the program had.\n\n",
        programs["runs"]
    );
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let _ = writeln!(page, "Machine: {}. {}\n", text(&programs["machine"]), text(&programs["programs"]));
    let _ = writeln!(page, "## In short\n\n{short}");
    page.push_str(
        "## Everything\n\nThe number behind the memory is how many times the larger of input and output that is.\n\n\
         | work | input | goal | menagerie | processor | memory | other | processor | memory | copying the bytes |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for work in list(&programs["work"]) {
        let _ = writeln!(page, "{}", line(work));
    }
    let _ = write!(page, "\n{}", include_str!("reasons.md"));
    starting(programs, &mut page);
    series(programs, &mut page);
    reading(read, &mut page);
    if !list(&python["rows"]).is_empty() {
        let goal = &python["goal"];
        let _ = write!(
            page,
            "\n## In Python\n\nOpening a model and reading its positions, in one process one after the other; "
        );
        let _ = writeln!(
            page,
            "the goal is {goal} times as fast as trimesh. Machine: {}.\n",
            text(&python["machine"])
        );
        page.push_str("| format | menagerie | trimesh | times as fast |\n|---|---|---|---|\n");
        for row in list(&python["rows"]) {
            let (ours, theirs) = (number(&row["menagerie"]), number(&row["trimesh"]));
            let format = text(&row["format"]);
            let _ = writeln!(page, "| {format} | {ours:.3} s | {theirs:.3} s | {:.1} |", theirs / ours);
        }
    }
    page
}

/// How long the program takes that has nothing to do.
fn starting(programs: &Value, page: &mut String) {
    if let Some(seconds) = programs["start_seconds"].as_f64() {
        let _ = writeln!(
            page,
            "\n## Starting\n\n`menagerie --version` takes {:.1} ms from start to end, the middle one of {} runs; the goal is \
             5 ms.",
            seconds * 1e3,
            programs["starts"]
        );
    }
}

/// The library alone, without a program around it.
fn reading(read: &Value, page: &mut String) {
    if list(&read["rows"]).is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "\n## The library alone\n\nBytes in memory to the file model, checked, and to the Scene; the best of nine runs in one process, \
         in gigabytes of the file a second. The goals are 0.4 of copying the same bytes for the model, and 1.7 GB/s for the Scene, \
         which is what cgltf was measured at (elsewhere: no registry has it). The `gltf` crate takes up what a GLB holds at {:.2} GB/s in \
         the same run. Machine: {}.\n\n\
         | format | file | copying | model | of copying | Scene | vertices and triangles |\n|---|---|---|---|---|---|---|",
        rate(read, "glTF", "gltf_crate"),
        read["machine"].as_str().unwrap_or_default()
    );
    for row in list(&read["rows"]) {
        let (bytes, copied) = (number(&row["bytes"]), number(&row["copied"]));
        let rate = |name: &str| bytes / number(&row[name]) / 1e9;
        let _ = writeln!(
            page,
            "| {} | {:.0} MB | {:.1} GB/s | {:.2} GB/s | {:.2} | {:.2} GB/s | {:.0} M a second |",
            row["format"].as_str().unwrap_or_default(),
            bytes / 1e6,
            rate("copied"),
            rate("model"),
            copied / number(&row["model"]),
            rate("scene"),
            1.5 / number(&row["scene"]),
        );
    }
}

/// Gigabytes a second of one piece of work on a format's model.
fn rate(read: &Value, format: &str, work: &str) -> f64 {
    let row = list(&read["rows"]).iter().find(|row| row["format"] == format);
    row.map_or(f64::NAN, |row| number(&row["bytes"]) / number(&row[work]) / 1e9)
}

fn series(programs: &Value, page: &mut String) {
    let triangles: Vec<String> = list(&programs["triangles"]).iter().map(ToString::to_string).collect();
    let _ = writeln!(
        page,
        "\n## Twice the triangles\n\nProcessor seconds of the whole program at {} triangles, and what the last doubling \
         cost.\n\n| work | seconds | last doubling |\n|---|---|---|",
        triangles.join(", ")
    );
    for row in list(&programs["series"]) {
        let seconds: Vec<f64> = list(&row["cpu_seconds"]).iter().map(number).collect();
        let times: Vec<String> = seconds.iter().map(|second| format!("{second:.3}")).collect();
        let growth = match seconds.as_slice() {
            [.., before, last] if *before > 0.0 => format!("{:.1} times", last / before),
            _ => String::new(),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {growth} |",
            row["what"].as_str().unwrap_or_default(),
            times.join(", ")
        );
    }
}

/// What was also done by another program: the README's table.
fn in_short(programs: &Value, python: &Value) -> String {
    let mut table = String::from(
        "| work, a million triangles | menagerie | other | times as fast |\n|---|---|---|---|\n",
    );
    for work in list(&programs["work"]) {
        let (ours, theirs) = (Best::of(&work["runs"]), Best::of(&work["peer"]["runs"]));
        let what = work["what"].as_str().unwrap_or_default();
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            let name = work["peer"]["name"].as_str().unwrap_or_default();
            let _ = writeln!(
                table,
                "| {what} | {:.2} s, {} | {name} {:.2} s, {} | {:.1} |",
                ours.wall,
                ours.megabytes(),
                theirs.wall,
                theirs.megabytes(),
                theirs.wall / ours.wall
            );
        }
    }
    for row in list(&python["rows"]) {
        let (ours, theirs) = (number(&row["menagerie"]), number(&row["trimesh"]));
        let format = row["format"].as_str().unwrap_or_default();
        let _ = writeln!(
            table,
            "| {format} to positions in Python | {ours:.2} s | trimesh {theirs:.2} s | {:.1} |",
            theirs / ours
        );
    }
    table
}

/// The least of each of some runs.
struct Best {
    wall: f64,
    cpu: f64,
    peak: f64,
}

impl Best {
    fn of(runs: &Value) -> Option<Self> {
        let least =
            |name: &str| list(runs).iter().map(|run| number(&run[name])).fold(f64::INFINITY, f64::min);
        let best = Self { wall: least("wall"), cpu: least("cpu"), peak: least("peak_bytes") };
        best.wall.is_finite().then_some(best)
    }

    fn megabytes(&self) -> String {
        format!("{:.0} MB", self.peak / 1e6)
    }
}

/// A row of the large table.
fn line(work: &Value) -> String {
    let (input, output) = (number(&work["input_bytes"]), number(&work["output_bytes"]));
    let size = if input > 0.0 { format!("{:.0} MB", input / 1e6) } else { String::new() };
    let goal = work["goal"].as_f64().map(|goal| format!("{goal} s")).unwrap_or_default();
    let cells = |runs: &Value| match Best::of(runs) {
        Some(best) if input > 0.0 => {
            let times = best.peak / input.max(output);
            format!("{:.3} s | {:.2} s | {}, {times:.1} ×", best.wall, best.cpu, best.megabytes())
        }
        Some(best) => format!("{:.3} s | {:.2} s | {}", best.wall, best.cpu, best.megabytes()),
        None => " | |".to_owned(),
    };
    let peer = &work["peer"];
    let name = peer["name"].as_str().unwrap_or_default();
    let theirs = match peer["not_run"].as_str() {
        Some(reason) => format!("{name} not run: {} | |", reason.replace('|', "/")),
        None => format!("{name} {}", cells(&peer["runs"])),
    };
    let copying = number(&work["copy_seconds"]);
    let what = work["what"].as_str().unwrap_or_default();
    format!("| {what} | {size} | {goal} | {} | {theirs} | {copying:.3} s |", cells(&work["runs"]))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::made;

    #[test]
    fn figures_are_those_of_the_runs() {
        let root = crate::root();
        let (page, readme) = made(&root).expect("a page");
        for (name, wanted) in [("docs/bench.md", page), ("README.md", readme)] {
            let found = std::fs::read_to_string(root.join(name)).expect("the page is there");
            assert!(found == wanted, "{name} is stale: `cargo xtask bench page` makes it again");
        }
    }
}
