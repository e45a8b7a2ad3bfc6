import { stopWithReader } from "../src/util/command.ts";
import { runCli } from "./cli.ts";

stopWithReader();
await runCli(process.argv.slice(2));
