addEventListener("DOMContentLoaded", () => {
  const at = (id) => document.getElementById(id);
  const main = at("tiles");
  const tiles = [...main.querySelectorAll("article")];
  if (!at("tools")) return;
  at("words").textContent = at("sum").textContent;
  for (const key of ["format", "state"]) {
    const values = [...new Set(tiles.map((tile) => tile.dataset[key]))].sort();
    for (const value of values) at(key).append(new Option(value, value));
  }
  const words = new Map(tiles.map((tile) => [tile, tile.textContent.toLowerCase()]));
  const numbers = new Set(["bytes", "triangles", "issues"]);
  const compare = (key) => (a, b) =>
    (numbers.has(key) ? b.dataset[key] - a.dataset[key] : 0) ||
    (a.dataset[key] ?? "").localeCompare(b.dataset[key] ?? "") * (numbers.has(key) ? 0 : 1) ||
    a.dataset.name.localeCompare(b.dataset.name);
  const update = () => {
    const wanted = at("find").value.trim().toLowerCase();
    let shown = 0;
    for (const tile of tiles) {
      tile.hidden = !(
        (!wanted || words.get(tile).includes(wanted)) &&
        (!at("format").value || tile.dataset.format === at("format").value) &&
        (!at("state").value || tile.dataset.state === at("state").value)
      );
      shown += !tile.hidden;
    }
    main.append(...[...tiles].sort(compare(at("order").value)));
    at("shown").textContent = `${shown} of ${tiles.length} shown`;
  };
  at("tools").hidden = false;
  at("tools").addEventListener("submit", (event) => event.preventDefault());
  at("tools").addEventListener("input", update);
  update();
});
