// For `node --import`: prints the URL of every module that the process has loaded on stderr, when it ends.
import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => process.stderr.write(`${loaded.join("\n")}\n`));
