//! What the properties of a material mean. Reading and writing agree on it here.

use super::dml::{self, Value as _};

/// How many textures a material can have.
pub(super) const TEXTURES: usize = 8;

/// The properties that the engine knows, with its defaults.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Surface {
    pub(super) diffuse: [f32; 4],
    pub(super) specular: [f32; 4],
    pub(super) shininess: f32,
    /// Multiplies the diffuse colour.
    pub(super) emission: f32,
    pub(super) shadeless: bool,
    pub(super) additive: bool,
    pub(super) double_sided: bool,
    /// Names of pictures; the first three are colour, normal and glow.
    pub(super) textures: [Option<String>; TEXTURES],
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            diffuse: [0.8, 0.8, 0.8, 1.0],
            specular: [1.0; 4],
            shininess: 64.0,
            emission: 0.0,
            shadeless: false,
            additive: false,
            double_sided: false,
            textures: Default::default(),
        }
    }
}

/// Properties in their order.
pub(super) type Pairs = Vec<(String, String)>;

/// The value of a property; of several the last.
pub(super) fn get<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a str> {
    pairs.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

/// Sets a property in its place, or adds it at the end.
pub(super) fn set(pairs: &mut Pairs, name: &str, value: String) {
    match pairs.iter_mut().rev().find(|(other, _)| other == name) {
        Some((_, old)) => *old = value,
        None => pairs.push((name.to_owned(), value)),
    }
}

/// The colour that is given off: a factor of the diffuse one, as large as floats can say.
pub(super) fn given_off([r, g, b, _]: [f32; 4], factor: f32) -> [f32; 3] {
    [r, g, b].map(|x| (x * factor).clamp(f32::MIN, f32::MAX))
}

impl Surface {
    /// What some properties mean; `odd` is told of values that cannot be what they should.
    pub(super) fn read(pairs: &Pairs, mut odd: impl FnMut(&str, &str)) -> Self {
        let mut surface = Self::default();
        let mut read = |name: &str, take: &mut dyn FnMut(&str) -> Option<()>| {
            if let Some(value) = get(pairs, name)
                && take(value).is_none()
            {
                odd(name, value);
            }
        };
        read("diffuseColor", &mut |value| color(value).map(|color| surface.diffuse = color));
        read("specularColor", &mut |value| color(value).map(|color| surface.specular = color));
        read("shininess", &mut |value| value.as_float().map(|number| surface.shininess = number));
        read("emission", &mut |value| value.as_float().map(|number| surface.emission = number));
        read("shadeless", &mut |value| value.as_bool().map(|flag| surface.shadeless = flag));
        read("doubleSided", &mut |value| value.as_bool().map(|flag| surface.double_sided = flag));
        read("blendMode", &mut |value| value.as_float().map(|mode| surface.additive = mode.trunc() == 1.0));
        let mut used = TEXTURES;
        read("texturesNum", &mut |value| {
            let count = value.as_float()?.trunc();
            (0.0..=TEXTURES as f32).contains(&count).then(|| used = count as usize)
        });
        for (slot, texture) in surface.textures.iter_mut().enumerate() {
            let name = get(pairs, &format!("texture{slot}")).map(|value| value.as_texture().0);
            // So many of those that are there, whatever their slots: a writer that leaves out a slot does not count it.
            *texture = name.filter(|name| !name.is_empty() && used > 0);
            used -= usize::from(texture.is_some());
        }
        surface
    }

    /// The properties that mean this surface: those given, changed only where they mean something else.
    pub(super) fn write(&self, mut pairs: Pairs) -> Pairs {
        let fresh = pairs.is_empty();
        let old = Self::read(&pairs, |_, _| {});
        let mut put = |name: &str, changed: bool, value: String| {
            if changed || (fresh && ["diffuseColor", "specularColor", "shadeless"].contains(&name)) {
                set(&mut pairs, name, value);
            }
        };
        let flag = |on: bool| if on { "1" } else { "0" }.to_owned();
        put("diffuseColor", self.diffuse != old.diffuse, dml::vector(&self.diffuse));
        put("specularColor", self.specular != old.specular, dml::vector(&self.specular));
        put("shadeless", self.shadeless != old.shadeless, flag(self.shadeless));
        put("shininess", self.shininess != old.shininess, dml::float(self.shininess));
        put("emission", self.emission != old.emission, dml::float(self.emission));
        put("doubleSided", self.double_sided != old.double_sided, flag(self.double_sided));
        put("blendMode", self.additive != old.additive, flag(self.additive));
        if fresh || self.textures != old.textures {
            let count = self.textures.iter().flatten().count();
            set(&mut pairs, "texturesNum", count.to_string());
        }
        for (slot, (new, old)) in self.textures.iter().zip(&old.textures).enumerate() {
            let name = format!("texture{slot}");
            match new {
                Some(file) if Some(file) != old.as_ref() => set(&mut pairs, &name, format!("[{file}, 0]")),
                None if old.is_some() => pairs.retain(|(other, _)| *other != name),
                _ => {}
            }
        }
        pairs
    }
}

/// A colour of three or four numbers.
pub(super) fn color(value: &str) -> Option<[f32; 4]> {
    match value.as_vector()?.as_slice() {
        [r, g, b, a] => Some([*r, *g, *b, *a]),
        [r, g, b] => Some([*r, *g, *b, 1.0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Pairs {
        dml::Dml::parse(text.as_bytes()).to_pairs()
    }

    #[test]
    fn unchanged_surfaces_keep_their_text() {
        for text in [
            r#"shadeless="1";texturesNum="1";texture0="[box.png, 1]";"#,
            r#"diffuseColor="[0.800000011920929, 0.5, 0.25, 1.0]";custom="x";shininess="8.0";"#,
            r#"shadeless="yes";"#,
        ] {
            let before = pairs(text);
            let surface = Surface::read(&before, |_, _| {});
            assert_eq!(surface.write(before.clone()), before, "{text}");
        }
    }

    #[test]
    fn a_change_changes_its_property_only() {
        let before = pairs(r#"a="1";shininess="8.0";texturesNum="1";texture0="[box.png, 1]";b="2";"#);
        let mut surface = Surface::read(&before, |_, _| {});
        surface.shininess = 16.0;
        let after = surface.write(before.clone());
        assert_eq!(get(&after, "shininess"), Some("16.0"));
        let changed = after.iter().zip(&before).filter(|(a, b)| a != b).count();
        assert_eq!((changed, after.len()), (1, before.len()));
    }
}
