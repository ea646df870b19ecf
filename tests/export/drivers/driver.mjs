// Reads rows and writes what the model says of each: node driver.mjs MODEL ROWS
import { readFileSync } from "node:fs";
const { predict, predictProba } = await import(process.argv[2]);

function cell(token) {
  if (token === "-") return null;
  const rest = token.slice(1);
  if (token[0] === "b") return rest === "1";
  if ("mzhd".includes(token[0])) return moment(token[0], BigInt(rest));
  const bytes = Buffer.from(rest, "hex");
  return token[0] === "t" ? bytes.toString("utf8") : bytes.readDoubleBE();
}

// Text where there is some, else milliseconds.
function moment(kind, steps) {
  if (kind === "d") return Number(steps) / 1000;
  const part = ((steps % 1000000n) + 1000000n) % 1000000n;
  const second = new Date(Number((steps - part) / 1000n)).toISOString().slice(0, 19);
  const text = `${second}.${String(part).padStart(6, "0")}`;
  return kind === "h" ? text.slice(11) : kind === "z" ? `${text}Z` : text;
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
