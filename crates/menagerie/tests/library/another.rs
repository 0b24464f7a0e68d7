//! A format of somebody else: what it needs is its own descriptor and file model, and one call that makes it known.

use menagerie::bytes::{ByteMap, Layout, Limits, Reader, Writer, layout};
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::{Aspect, Issue, Issues, LossReport};
use menagerie::formats::{
    Capabilities, FileModel, Format, Holds, Lifted, Output, Probe, ReadOptions, Summary, WriteOptions,
    no_mend, register, report_unheld,
};
use menagerie::pictures::Usable;
use menagerie::scene::{Axes, CheckedScene, Hidden, Mesh, Node, Primitive, Scene, SceneRoot};

/// One triangle, and nothing else.
#[derive(Clone, Debug, Default)]
struct Dummy {
    corners: [[f32; 3]; 3],
}

static DUMMY: Layout<Dummy> = layout!(dummy: Dummy {
    "a" => dummy.corners[0],
    "b" => dummy.corners[1],
    "c" => dummy.corners[2],
});

static FORMAT: Format = Format {
    id: "dummy",
    name: "Dummy",
    about: "one triangle",
    extensions: &["dummy"],
    mime: "model/x-dummy",
    probe: |bytes| if bytes.starts_with(b"DUMY") { Probe::Magic } else { Probe::No },
    axes: Axes::Z_UP_FRONT_MINUS_Y,
    unit: "not stated",
    metres: None,
    hidden: Hidden::LeftOut,
    pictures: Usable::NONE,
    capabilities: Capabilities {
        weights_per_vertex: 0,
        vertex_limit: Some(3),
        uv_sets: 0,
        instances: false,
        embeds_textures: false,
        ambient_light: false,
        holds: &[(Aspect::Positions, Holds::Fully, ""), (Aspect::Topology, Holds::Partly, "one triangle")],
    },
    options: &[],
    codes: &[],
    read: |bytes, _, _| Ok(Box::new(read(bytes)?)),
    stream: None,
    mend: no_mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses))),
};

fn read(bytes: &[u8]) -> Result<Dummy, Issue> {
    let mut reader = Reader::new(bytes);
    reader.bytes("magic", 4)?;
    Ok(DUMMY.read(&mut reader)?)
}

fn lower(scene: CheckedScene<'_>, _: &WriteOptions, losses: &mut LossReport) -> Dummy {
    report_unheld(&scene, &FORMAT, losses);
    let turn = FORMAT.axes.turn.inverse();
    let mut corners = scene.meshes.values().flat_map(|mesh| &mesh.primitives).flat_map(|primitive| {
        let corner = |index: &u32| turn.vector(primitive.positions[*index as usize]);
        primitive.indices.iter().map(corner).collect::<Vec<_>>()
    });
    Dummy { corners: std::array::from_fn(|_| corners.next().unwrap_or_default()) }
}

impl Dummy {
    fn write_to(&self, w: &mut Writer) {
        w.text("magic", b"DUMY");
        DUMMY.write(self, w);
    }
}

impl FileModel for Dummy {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        Summary { profile: None, contents: vec![("triangles", 1)], vertices: 3, triangles: 1 }
    }

    fn check(&self, _: &Limits, _: &mut Issues) {}

    fn layout(&self) -> ByteMap {
        Writer::map_of(|w| self.write_to(w))
    }

    fn write(&self) -> Result<Output, Issue> {
        let mut writer = Writer::new();
        self.write_to(&mut writer);
        Ok(writer.finish().0.into())
    }

    fn lift(&self, _: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        let mut scene = Scene::default();
        let positions = self.corners.map(|corner| FORMAT.axes.turn.vector(corner)).to_vec();
        let primitive = Primitive { positions, indices: vec![0, 1, 2], ..Primitive::default() };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let node = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
        scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
        scene.default_scene = Some(0);
        Ok(Lifted { scene, ..Lifted::default() })
    }
}

#[test]
fn a_format_is_a_descriptor_and_a_model() {
    assert!(register(&FORMAT), "nobody has that name");
    assert!(!register(&FORMAT), "once is enough");
    let file = Dummy { corners: [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] };
    let bytes = file.write().unwrap().bytes;
    assert_eq!(Format::by_extension("x.dummy"), Some(&FORMAT));
    assert_eq!(Format::detect(&bytes, None).unwrap().0, &FORMAT);

    let mut reading = FORMAT.open(&bytes, &ReadOptions::default());
    let scene = reading.lift(&ReadOptions::default()).unwrap();
    let model = reading.model.unwrap();
    assert_eq!(model.write().unwrap().bytes, bytes);
    assert_eq!(model.layout().leaves().len(), 4);
    let error = FORMAT.open(&bytes[..20], &ReadOptions::default()).issues.into_sorted();
    assert_eq!((error[0].path.as_str(), error.len()), ("b", 1));

    for other in menagerie::formats::ALL {
        let there = convert(&bytes, None, other, &ConvertOptions::default()).unwrap();
        let back = convert(&there.output.bytes, None, &FORMAT, &ConvertOptions::default()).unwrap();
        let again = read(&back.output.bytes).unwrap().lift(&ReadOptions::default()).unwrap().scene;
        let near = |a: &Scene, b: &Scene| {
            let of = |scene: &Scene| scene.meshes.values().next().unwrap().primitives[0].positions.clone();
            let (a, b) = (of(a), of(b));
            a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() < 1e-2)
        };
        assert!(near(&scene, &again), "through {}", other.name);
        assert_eq!(back.output.bytes.len(), bytes.len());
    }
}
