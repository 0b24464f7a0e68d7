// Runs the Khronos glTF validator over files and folders: node validate.js PATH…
//
// Prints one JSON value: { files, errors, warnings, infos, hints, reports: [ { file, counts, messages } ] }, where only
// files with errors or warnings have a report (all of them with --all). Exit code 1 when there is an error or a warning.
"use strict";

const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

const SEVERITIES = ["errors", "warnings", "infos", "hints"];

/** All .glb and .gltf files below a path, in the order of their names. */
function filesBelow(place) {
  if (!fs.statSync(place).isDirectory()) {
    return [place];
  }
  const entries = fs.readdirSync(place).sort();
  const below = entries.map((entry) => path.join(place, entry));
  const wanted = (file) => fs.statSync(file).isDirectory() || /\.(glb|gltf)$/i.test(file);
  return below.filter(wanted).flatMap(filesBelow);
}

async function validate(file) {
  const beside = (uri) => {
    const name = path.resolve(path.dirname(file), decodeURIComponent(uri));
    // The validator takes only a text as the reason why a file is not there.
    const refuse = (error) => Promise.reject(String(error));
    return fs.promises.readFile(name).then((data) => new Uint8Array(data), refuse);
  };
  try {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: path.basename(file),
      maxIssues: 1000,
      // A picture that is only referred to may be missing: that is no fault of the file.
      externalResourceFunction: beside,
    });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    const missing = (m) => m.code === "IO_ERROR";
    const kept = messages.filter((m) => !missing(m));
    const errors = numErrors - messages.filter((m) => missing(m) && m.severity === 0).length;
    const warnings = numWarnings - messages.filter((m) => missing(m) && m.severity === 1).length;
    return { file, counts: { errors, warnings, infos: numInfos, hints: numHints }, messages: kept };
  } catch (error) {
    const message = { code: "UNREADABLE", severity: 0, message: String(error) };
    return { file, counts: { errors: 1, warnings: 0, infos: 0, hints: 0 }, messages: [message] };
  }
}

async function main() {
  const all = process.argv.includes("--all");
  const places = process.argv.slice(2).filter((argument) => argument !== "--all");
  if (places.length === 0) {
    console.error("usage: node validate.js [--all] PATH…");
    process.exit(2);
  }
  const files = places.flatMap(filesBelow);
  const total = { files: files.length, errors: 0, warnings: 0, infos: 0, hints: 0, reports: [] };
  for (const file of files) {
    const report = await validate(file);
    SEVERITIES.forEach((severity) => (total[severity] += report.counts[severity]));
    if (all || report.counts.errors + report.counts.warnings > 0) {
      total.reports.push(report);
    }
  }
  console.log(JSON.stringify(total, null, 2));
  process.exitCode = total.errors + total.warnings > 0 ? 1 : 0;
}

main();
