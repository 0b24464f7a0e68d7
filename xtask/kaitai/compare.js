// Compiles the descriptions of docs/kaitai, reads files with them, and compares every field with menagerie's byte map:
//   node compare.js PACKAGES DESCRIPTIONS PROGRAM FILE…
// PACKAGES is the folder with node_modules, PROGRAM the menagerie program. A field of one that is not a field, or whole fields, of
// the other is a difference, and so is another value. Exit code 1 when there is one.
"use strict";

const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const { spawnSync } = require("child_process");

const [packages, descriptions, program, ...files] = process.argv.slice(2);
const load = createRequire(path.resolve(packages, "package.json"));
const yaml = load("js-yaml");
const compiler = load("kaitai-struct-compiler");
const { KaitaiStream } = load("kaitai-struct");
const IDS = { bgl: "bogle", bmd: "bmd", dgl2: "dgl2", bo3d: "bo3d", das2: "das2" };

/** The class that reads a format; its objects know where each field came from. */
async function reader(id) {
  const text = fs.readFileSync(path.join(descriptions, `${id}.ksy`), "utf8");
  const sources = await compiler.compile("javascript", yaml.load(text), null, true);
  const [name, source] = Object.entries(sources)[0];
  const place = path.resolve(packages, name);
  fs.writeFileSync(place, source);
  const exported = load(place);
  const found = typeof exported === "function" ? exported : Object.values(exported).find((it) => typeof it === "function");
  return found;
}

/** All fields that Kaitai read: { space, start, end, value }, where the space is the file or what was inflated from it. */
function fieldsOf(root, main) {
  const fields = [];
  const seen = new Set();
  const open = [root];
  const take = (value, debug, io, space) => {
    if (value === undefined || value === null || debug === undefined) {
      return;
    }
    if (debug.arr) {
      value.forEach((item, i) => take(item, debug.arr[i], io, space));
    } else if (typeof value === "object" && value._debug) {
      open.push(value);
    } else if (debug.end > debug.start) {
      fields.push({ space, start: debug.ioOffset + debug.start, end: debug.ioOffset + debug.end, value });
    }
  };
  while (open.length > 0) {
    const it = open.pop();
    if (seen.has(it)) {
      continue;
    }
    seen.add(it);
    const space = it._io._buffer === main ? "file" : "inside";
    const lazy = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(it)));
    for (const [name] of lazy.filter(([, is]) => is.get)) {
      const value = it[name];
      // What is only a look ahead or worked out is no field of its own.
      if (it._debug[`_m_${name}`] && (typeof value !== "number" && typeof value !== "boolean")) {
        take(value, it._debug[`_m_${name}`], it._io, space);
      }
    }
    for (const [name, debug] of Object.entries(it._debug).filter(([name]) => !name.startsWith("_"))) {
      take(it[name], debug, it._io, space);
    }
  }
  return fields;
}

/** A record of a table further on, with its fields and without their values. */
function moved(part, by) {
  const inner = part.parts && part.parts.map((field) => moved(field, by));
  return { ...part, offset: part.offset + by, value: undefined, parts: inner };
}

/** The fields of menagerie's map, of the file and of what is inside its body. */
function leavesOf(map) {
  const leaves = { file: [], inside: [] };
  const walk = (part, space) => {
    const below = part.type === "encoded" ? "inside" : space;
    if (part.type === "encoded") {
      leaves.file.push({ start: part.offset, end: part.offset + part.length, type: "encoded", path: part.path });
    }
    if (part.parts) {
      part.parts.forEach((inner) => walk(inner, below));
      // Of long tables only the first records are shown; the others have the same fields.
      for (let i = part.parts.length; part.type === "table" && i < part.count; i += 1) {
        walk(moved(part.parts[0], i * part.record_bytes), below);
      }
    } else if (part.type !== "encoded" && part.length > 0) {
      leaves[space].push({ start: part.offset, end: part.offset + part.length, type: part.type, value: part.value, path: part.path });
    }
  };
  map.parts.forEach((part) => walk(part, "file"));
  Object.values(leaves).forEach((list) => list.sort((a, b) => a.start - b.start));
  return leaves;
}

function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) {
    return fraction ? NaN : sign * Infinity;
  }
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** A number of the map in the words of Kaitai's: what it lacks is given by its bits. */
function sameNumber(type, ours, theirs) {
  if (typeof ours === "string" || ours === null) {
    return Number.isNaN(Number(ours)) === Number.isNaN(theirs) || Number(ours) === theirs;
  }
  const found = type === "f16" ? half(theirs) : theirs;
  if (type === "f32" && ours !== found && Number.isInteger(theirs)) {
    return ours === new Float32Array(Uint32Array.of(theirs).buffer)[0];
  }
  return type === "f32" && !Number.isInteger(found) ? Math.fround(ours) === found : ours === found;
}

const MEANINGLESS = ["padding", "unused"];
const NUMBERS = ["u8", "u16", "u32", "i8", "i16", "i32", "f16", "f32"];

function compare(leaves, fields, say) {
  const covered = new Map();
  let at = 0;
  for (const field of fields.sort((a, b) => a.start - b.start || a.end - b.end)) {
    while (at < leaves.length && leaves[at].end <= field.start) {
      at += 1;
    }
    const first = leaves[at];
    if (!first) {
      say(`bytes ${field.start}..${field.end} are nothing in the map`);
      continue;
    }
    let last = at;
    while (last < leaves.length && leaves[last].end < field.end) {
      last += 1;
    }
    const whole = first.start === field.start && leaves[last] && leaves[last].end === field.end;
    if (!(last === at && first.start <= field.start) && !whole) {
      say(`bytes ${field.start}..${field.end} cross ${first.path} at ${first.start}..${first.end}`);
      continue;
    }
    for (let i = at; i <= last; i += 1) {
      covered.set(leaves[i], [...(covered.get(leaves[i]) || []), field]);
    }
  }
  for (const leaf of leaves) {
    const found = covered.get(leaf) || [];
    if (found.length === 0) {
      if (!MEANINGLESS.includes(leaf.type)) {
        say(`${leaf.path} at ${leaf.start}..${leaf.end} is read by nobody`);
      }
      continue;
    }
    const distinct = found.filter((field, i) => i === 0 || field.start !== found[i - 1].start);
    const ours = Array.isArray(leaf.value) ? leaf.value : [leaf.value];
    const tiled = distinct.length === ours.length && distinct.every((field) => typeof field.value === "number");
    if (NUMBERS.includes(leaf.type) && tiled && leaf.value !== undefined) {
      distinct.forEach((field, i) => {
        if (!sameNumber(leaf.type, ours[i], field.value)) {
          say(`${leaf.path}[${i}] is ${ours[i]}, and Kaitai reads ${field.value}`);
        }
      });
    }
  }
}

async function main() {
  const readers = {};
  let [failed, count] = [0, 0];
  for (const file of files) {
    const id = IDS[path.extname(file).slice(1)];
    readers[id] = readers[id] || (await reader(id));
    const differences = [];
    try {
      const bytes = new Uint8Array(fs.readFileSync(file));
      const main = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      const root = new readers[id](new KaitaiStream(main, 0));
      root._read();
      const fields = fieldsOf(root, main);
      count += fields.length;
      // Its exit code says whether the file is sound, which is not asked here.
      const map = JSON.parse(spawnSync(program, ["inspect", "--json", "--all", file], { maxBuffer: 1 << 30 }).stdout);
      const leaves = leavesOf(map);
      for (const space of ["file", "inside"]) {
        const inside = fields.filter((field) => field.space === space);
        // A body that Kaitai inflated is compared by what is inside, one that it cannot inflate as bytes.
        const inflated = fields.some((field) => field.space === "inside");
        const wanted = leaves[space].filter((leaf) => !(inflated && leaf.type === "encoded"));
        if (space === "file" || inflated) {
          compare(wanted, inside, (what) => differences.push(what));
        }
      }
    } catch (error) {
      differences.push(String(error && error.stack ? error.stack.split("\n").slice(0, 3).join(" ") : error));
    }
    if (differences.length > 0) {
      failed += 1;
      console.log(`${file}: ${differences.length} differences: ${differences.slice(0, 4).join("; ")}`);
    }
  }
  console.log(`${files.length} files, ${count} fields, ${failed} files differ`);
  process.exit(failed > 0 ? 1 : 0);
}

main();
