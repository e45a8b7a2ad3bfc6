import { spawnSync } from "node:child_process";

/** `npm run bench`: the benchmark that the first word names, the comparison with an earlier commit, or else with other frameworks. */
const OTHERS = ["capacity", "observability", "overload", "soak", "waiting"];
/** Of jest, because it needs the helpers of the tests. */
const VIDEO = ["test", "--", "bench", "--runInBand", "--testMatch", "**/test/bench/*.bench.ts"];

const [name = "", ...words] = process.argv.slice(2);
if (name === "video") process.exitCode = spawnSync("npm", [...VIDEO, ...words], { stdio: "inherit" }).status ?? 1;
else if (OTHERS.includes(name)) {
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
} else await import(words.concat(name).some((it) => it.startsWith("--against")) ? "./against.ts" : "./run.ts");
