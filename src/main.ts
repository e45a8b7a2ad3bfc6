import { enableCompileCache } from "node:module";

// The only file in src/ that has side effects when it is imported, and the only one that reads the environment.
// Node keeps the compiled code of all later imports here. If it can't write the folder, it compiles them at each start.
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
// Before any other import, because the SDK changes what the PostgreSQL driver exports.
const telemetry = await (await import("./telemetry/telemetry.ts")).openTelemetry(process.env);
await (await import("./start.ts")).start(process.env, telemetry);
