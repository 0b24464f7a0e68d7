//! `formats`: what there is and what it can hold.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use menagerie::diag::Aspect;
use menagerie::formats::{ALL, Format, Holds};
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::output;

/// Show the formats, what each can hold, and so what a conversion to it loses
#[derive(Args)]
pub(crate) struct FormatsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &FormatsArgs) -> Result<Exit> {
    if args.json {
        output::print_json(&ALL.iter().map(|format| to_json(format)).collect())?;
    } else {
        output::print(&text())?;
    }
    Ok(Exit::Fine)
}

fn text() -> String {
    let mut text = String::new();
    for format in ALL {
        let extensions: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
        let _ = writeln!(text, "{:6} {} ({})", format.id, format.about, extensions.join(", "));
    }
    text.push_str("\nWhat each can hold: ● all of it, ◐ some of it or not exactly, · nothing\n");
    let mut table = output::table(std::iter::once("aspect").chain(ALL.iter().map(|format| format.id)));
    for aspect in Aspect::ALL {
        let marks = ALL.iter().map(|format| match format.capabilities.holds(aspect) {
            (Holds::Fully, remark) => cell("●", remark),
            (Holds::Partly, remark) => cell("◐", remark),
            (Holds::No, remark) => cell("·", remark),
        });
        table.add_row(std::iter::once(aspect.name().to_owned()).chain(marks));
    }
    let _ = writeln!(text, "{table}");
    text.push_str("Losses have the code loss/ASPECT: `menagerie explain loss/skins`\n");
    text
}

/// The remarks only fit beside few formats.
fn cell(mark: &str, remark: &str) -> String {
    if ALL.len() > 3 || remark.is_empty() { mark.to_owned() } else { format!("{mark} {remark}") }
}

fn to_json(format: &Format) -> Value {
    let capabilities = &format.capabilities;
    let holds: Map<String, Value> = Aspect::ALL
        .iter()
        .map(|&aspect| {
            let (holds, remark) = capabilities.holds(aspect);
            let holds = match holds {
                Holds::Fully => "fully",
                Holds::Partly => "partly",
                Holds::No => "no",
            };
            (aspect.name().to_owned(), json!({ "holds": holds, "remark": remark }))
        })
        .collect();
    let options: Vec<Value> = format
        .options
        .iter()
        .map(|option| json!({ "name": option.name, "values": option.values, "help": option.help }))
        .collect();
    json!({
        "id": format.id,
        "name": format.name,
        "about": format.about,
        "extensions": format.extensions,
        "mime": format.mime,
        "axes": super::info::axes(format),
        "unit": format.unit,
        // None where there is no limit.
        "weights_per_vertex": Some(capabilities.weights_per_vertex).filter(|number| *number != usize::MAX),
        "vertex_limit": capabilities.vertex_limit,
        "uv_sets": capabilities.uv_sets,
        "embeds_textures": capabilities.embeds_textures,
        "holds": holds,
        "options": options,
    })
}
