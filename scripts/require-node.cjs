// Runs before every command, in the syntax of every Node: without it, an older one ends in a stack trace about ".ts".
const { dependencies } = require("../package.json");

const [needed] = dependencies.node.split(".");
if (Number(process.versions.node.split(".")[0]) < Number(needed)) {
  console.error(
    `This is Node ${process.versions.node}, and this program needs Node ${needed}: run npm ci without --ignore-scripts, which installs it here, or install it yourself.`,
  );
  process.exit(1);
}
