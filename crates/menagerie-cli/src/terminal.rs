//! Pictures on a terminal: by the protocol that it speaks, or else by coloured half blocks, which all know.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use menagerie_render::{Picture, png};

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Kitty,
    Iterm,
    Sixel,
    HalfBlocks,
}

impl Protocol {
    /// What standard output can show; `None` in a pipe and on terminals without colours.
    pub(crate) fn detect() -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        Self::of(|name| std::env::var(name).ok())
    }

    /// The same by the environment alone.
    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let get = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (get("TERM"), get("TERM_PROGRAM"));
        // Multiplexers do not pass pictures on.
        let inside_another =
            variable("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux");
        if term == "dumb" || !get("NO_COLOR").is_empty() {
            return None;
        }
        if inside_another {
            return Some(Self::HalfBlocks);
        }
        if term == "xterm-kitty" || term == "xterm-ghostty" || variable("KITTY_WINDOW_ID").is_some() {
            return Some(Self::Kitty);
        }
        if program == "iTerm.app" || program == "WezTerm" || get("LC_TERMINAL") == "iTerm2" {
            return Some(Self::Iterm);
        }
        if term.contains("sixel") || term.starts_with("foot") || term.starts_with("mlterm") {
            return Some(Self::Sixel);
        }
        Some(Self::HalfBlocks)
    }

    /// How large a picture for it should be.
    pub(crate) fn size(self) -> (u32, u32) {
        match self {
            Self::HalfBlocks => (64, 48),
            _ => (480, 360),
        }
    }

    /// The picture as what is to be printed.
    pub(crate) fn show(self, picture: &Picture) -> Result<String> {
        Ok(match self {
            Self::Kitty => kitty(&png(picture)?),
            Self::Iterm => iterm(&png(picture)?),
            Self::Sixel => sixel(picture),
            Self::HalfBlocks => half_blocks(picture),
        })
    }
}

/// The file in base64, in parts of at most 4096 letters.
fn kitty(file: &[u8]) -> String {
    let encoded = STANDARD.encode(file);
    let mut text = String::new();
    let mut rest = encoded.as_str();
    let mut control = "a=T,f=100,";
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.len().min(4096));
        let more = u8::from(!after.is_empty());
        let _ = write!(text, "\x1b_G{control}m={more};{part}\x1b\\");
        (rest, control) = (after, "");
    }
    text.push('\n');
    text
}

fn iterm(file: &[u8]) -> String {
    format!(
        "\x1b]1337;File=inline=1;size={};preserveAspectRatio=1:{}\x07\n",
        file.len(),
        STANDARD.encode(file)
    )
}

/// Levels of red, green and blue in a sixel picture.
const LEVELS: [u32; 3] = [6, 7, 6];

/// Bands of six rows; in each the places of one colour after another.
fn sixel(picture: &Picture) -> String {
    let mut text = "\x1bPq".to_owned();
    let [reds, greens, blues] = LEVELS;
    let percent = |level: u32, levels: u32| level * 100 / (levels - 1);
    for color in 0..reds * greens * blues {
        let (r, g, b) = (color / (greens * blues), color / blues % greens, color % blues);
        let _ = write!(text, "#{color};2;{};{};{}", percent(r, reds), percent(g, greens), percent(b, blues));
    }
    let nearest = |byte: u8, levels: u32| (u32::from(byte) * (levels - 1) + 127) / 255;
    let color = |[r, g, b, a]: [u8; 4]| {
        (a >= 128).then(|| (nearest(r, reds) * greens + nearest(g, greens)) * blues + nearest(b, blues))
    };
    for top in (0..picture.height()).step_by(6) {
        let column = |x: u32| -> [Option<u32>; 6] {
            std::array::from_fn(|row| picture.get(x, top + row as u32).and_then(color))
        };
        let columns: Vec<[Option<u32>; 6]> = (0..picture.width()).map(column).collect();
        let mut used: Vec<u32> = columns.iter().flatten().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        for color in used {
            let _ = write!(text, "#{color}");
            for column in &columns {
                let bits =
                    (0..6).filter(|row| column[*row] == Some(color)).fold(0u8, |bits, row| bits | 1 << row);
                text.push(char::from(b'?' + bits));
            }
            text.push('$');
        }
        text.push('-');
    }
    text + "\x1b\\\n"
}

/// Two pixels a letter, one above the other.
fn half_blocks(picture: &Picture) -> String {
    let mut text = String::new();
    for y in (0..picture.height()).step_by(2) {
        for x in 0..picture.width() {
            let seen = |y: u32| picture.get(x, y).filter(|pixel| pixel[3] >= 128);
            let _ = match (seen(y), seen(y + 1)) {
                (None, None) => write!(text, "\x1b[0m "),
                (Some([r, g, b, _]), None) => write!(text, "\x1b[0m\x1b[38;2;{r};{g};{b}m▀"),
                (None, Some([r, g, b, _])) => write!(text, "\x1b[0m\x1b[38;2;{r};{g};{b}m▄"),
                (Some([r, g, b, _]), Some([s, h, c, _])) => {
                    write!(text, "\x1b[38;2;{r};{g};{b};48;2;{s};{h};{c}m▀")
                }
            };
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_apart_by_their_environment() {
        for (environment, expected) in [
            (&[("TERM", "xterm-kitty")][..], Some(Protocol::Kitty)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Some(Protocol::Iterm)),
            (&[("TERM", "foot")], Some(Protocol::Sixel)),
            (&[("TERM", "xterm-256color")], Some(Protocol::HalfBlocks)),
            (&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], Some(Protocol::HalfBlocks)),
            (&[("TERM", "dumb")], None),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], None),
        ] {
            let get = |name: &str| {
                environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Protocol::of(get), expected, "{environment:?}");
        }
    }

    #[test]
    fn every_protocol_shows_every_pixel() {
        let mut picture = Picture::new(3, 7, [0; 4]).unwrap();
        picture.pixels_mut()[4] = [255, 0, 0, 255];
        let blocks = half_blocks(&picture);
        assert_eq!(blocks.lines().count(), 4);
        assert!(blocks.contains("\x1b[38;2;255;0;0m▄"), "{blocks:?}");
        let sixel = sixel(&picture);
        assert_eq!(sixel.matches('-').count(), 2, "two bands of six rows");
        // Full red is the colour 5 · 42; the second of the six rows is the bit 2.
        assert!(sixel.contains("#210?A?$"), "{sixel:?}");
        let large = kitty(&[0; 9000]);
        assert_eq!(large.matches("\x1b_G").count(), 3);
        assert!(large.contains("m=0;") && large.starts_with("\x1b_Ga=T,f=100,m=1;"));
        assert!(iterm(b"abc").contains("size=3;preserveAspectRatio=1:YWJj"));
    }
}
