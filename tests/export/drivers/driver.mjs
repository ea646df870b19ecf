// Reads rows and writes what the model says of each: node driver.mjs MODEL ROWS
import { readFileSync } from "node:fs";
const { predict, predictProba } = await import(process.argv[2]);

function cell(token) {
  if (token === "-") return null;
  const rest = token.slice(1);
  if (token[0] === "b") return rest === "1";
  const bytes = Buffer.from(rest, "hex");
  return token[0] === "t" ? bytes.toString("utf8") : bytes.readDoubleBE();
}

function bits(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString("hex");
}

const lines = readFileSync(process.argv[3], "ascii").split("\n").slice(0, -1);
const words = (line) => (line === "" ? [] : line.split(" ").map(cell));
const names = words(lines[0]);
const said = [];
for (const line of lines.slice(1)) {
  const row = Object.fromEntries(words(line).map((value, i) => [names[i], value]));
  const label = Buffer.from(String(predict(row)), "utf8").toString("hex");
  said.push([...predictProba(row).map(bits), "t" + label].join(" "));
}
process.stdout.write(said.join("\n") + "\n");
