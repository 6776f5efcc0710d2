// Prints the free berths of a port: node web/scripts/list-berths.mjs rotterdam
const [port = "rotterdam"] = process.argv.slice(2);
const berths = await import(`../fixtures/${port}.json`, { with: { type: "json" } });

for (const berth of berths.default.filter((it) => it.free)) {
  console.log(berth.name);
}
