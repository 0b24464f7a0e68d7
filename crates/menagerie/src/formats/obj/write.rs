//! What goes beside the text. The text itself is kept as it was.

use super::model::Model;

impl Model {
    /// The libraries that lie beside the text.
    pub(super) fn beside(&self) -> Vec<(String, Vec<u8>)> {
        let plain = |name: &&super::Library| !name.name.contains(['/', '\\']) && name.name != "..";
        let beside = self.libraries.iter().filter(plain);
        beside.map(|library| (library.name.clone(), library.text.to_vec())).collect()
    }
}
