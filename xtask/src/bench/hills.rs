//! The model that is measured with: hills with a picture on them, written here as GLB byte by byte, so that nothing of the
//! library is needed, or measured, to make it.

use serde_json::json;

/// Hills of twice `side` · `side` triangles with a picture of `pixels` · `pixels` on them, as GLB.
pub(super) fn hills(side: u32, pixels: u32) -> Vec<u8> {
    let (mut positions, mut normals, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for (x, z) in (0..=side).flat_map(|z| (0..=side).map(move |x| (x, z))) {
        let (u, v) = (x as f32 / side as f32, z as f32 / side as f32);
        let height = 0.08 * ((u * 25.0).sin() + (v * 31.0).cos());
        let (along_u, along_v) = (2.0 * (u * 25.0).cos(), -2.48 * (v * 31.0).sin());
        let length = (along_u * along_u + along_v * along_v + 1.0).sqrt();
        (low, high) = (low.min(height), high.max(height));
        positions.extend([u, height, v]);
        normals.extend([-along_u / length, 1.0 / length, -along_v / length]);
        uvs.extend([u, v]);
    }
    let mut indices = Vec::new();
    for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
        let at = z * (side + 1) + x;
        let below = at + side + 1;
        indices.extend([at, below, at + 1, at + 1, below, below + 1]);
    }
    let floats = |list: &[f32]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let whole = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let buffers = [floats(&positions), floats(&normals), floats(&uvs), whole, picture(pixels)];
    let mut views = Vec::new();
    let mut binary: Vec<u8> = Vec::new();
    for bytes in &buffers {
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len() }));
        binary.extend(bytes);
        binary.resize(binary.len().next_multiple_of(4), 0);
    }
    let vertices = uvs.len() / 2;
    let stream = |view: usize, kind: &str| json!({ "bufferView": view, "componentType": 5126, "count": vertices, "type": kind });
    let mut places = stream(0, "VEC3");
    places["min"] = json!([0.0, low, 0.0]);
    places["max"] = json!([1.0, high, 1.0]);
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 }, "indices": 3, "material": 0,
        }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "metallicFactor": 0.0 } }],
        "textures": [{ "source": 0 }], "images": [{ "bufferView": 4, "mimeType": "image/png" }],
        "accessors": [places, stream(1, "VEC3"), stream(2, "VEC2"),
            { "bufferView": 3, "componentType": 5125, "count": indices.len(), "type": "SCALAR" }],
        "bufferViews": views, "buffers": [{ "byteLength": binary.len() }],
    });
    glb(document.to_string().into_bytes(), &binary)
}

fn glb(mut document: Vec<u8>, binary: &[u8]) -> Vec<u8> {
    document.resize(document.len().next_multiple_of(4), b' ');
    let length = (12 + 8 + document.len() + 8 + binary.len()) as u32;
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", document.as_slice()), (b"BIN\0", binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// A colourful picture, as a PNG that is not compressed.
fn picture(pixels: u32) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..pixels {
        rows.push(0);
        rows.extend((0..pixels).flat_map(|x| [(x / 4) as u8, (y / 4) as u8, ((x ^ y) & 255) as u8]));
    }
    let mut header = [pixels.to_be_bytes(), pixels.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", stored(&rows)), (b"IEND", Vec::new())] {
        file.extend((data.len() as u32).to_be_bytes());
        let chunk = [&kind[..], &data].concat();
        file.extend(&chunk);
        file.extend(crc(&chunk).to_be_bytes());
    }
    file
}

/// A zlib stream that holds bytes as they are.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = bytes.chunks(0xFFFF);
    let last = blocks.len();
    for (i, block) in (1..).zip(blocks) {
        let length = block.len() as u16;
        stream.push(u8::from(i == last));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
