import type { startSdk } from "./sdk.ts";

/** OpenTelemetry, if it is configured. The rest of the service doesn't know the SDK. */
export type Telemetry = ReturnType<typeof startSdk>;
/** The span of a request. */
export type RequestSpan = ReturnType<Telemetry["beginRequest"]>;

/**
 * Starts OpenTelemetry if a variable of it (`OTEL_…`) is set. Call it before anything imports the PostgreSQL driver. Otherwise
 * nothing of the SDK is loaded, because it costs time and memory.
 */
export async function openTelemetry(environment: NodeJS.ProcessEnv): Promise<Telemetry | null> {
  const isWanted = Object.entries(environment).some(([name, value]) => name.startsWith("OTEL_") && value !== "");
  if (!isWanted || environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return null;
  return (await import("./sdk.ts")).startSdk();
}
