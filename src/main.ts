import { enableCompileCache } from "node:module";

// The only file in src/ with side effects at import, and the only one that reads the environment.
// Node caches the compiled code of all later imports in this folder, if it is writable.
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
// Before any other import, because the SDK patches the PostgreSQL driver.
const telemetry = await (await import("./telemetry/telemetry.ts")).openTelemetry(process.env);
await (await import("./start.ts")).start(process.env, telemetry);
