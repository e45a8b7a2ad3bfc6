import type { startSdk } from "./sdk.ts";

/** OpenTelemetry, if it is configured. */
export type Telemetry = ReturnType<typeof startSdk>;
/** The span of a request. */
export type RequestSpan = ReturnType<Telemetry["beginRequest"]>;

/**
 * Starts OpenTelemetry if an environment variable `OTEL_…` is set. Otherwise the SDK is not loaded, because it costs time and memory. Call it
 * before the PostgreSQL driver is imported.
 */
export async function openTelemetry(environment: NodeJS.ProcessEnv): Promise<Telemetry | null> {
  const isConfigured = Object.entries(environment).some(([name, value]) => name.startsWith("OTEL_") && value !== "");
  if (!isConfigured || environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return null;
  return (await import("./sdk.ts")).startSdk();
}
