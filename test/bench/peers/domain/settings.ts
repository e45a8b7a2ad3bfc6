/** What the benchmark passes to each peer. */
export type Settings = {
  readonly port: number;
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly publicUrl: string;
  readonly version: string;
  readonly serviceVersion: string;
};

export function readSettings(): Settings {
  const required = (name: string) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is missing.`);
    return value;
  };
  return {
    port: Number(required("PORT")),
    databaseUrl: required("DATABASE_URL"),
    poolSize: Number(required("DATABASE_POOL_SIZE")),
    publicUrl: required("PUBLIC_URL"),
    version: required("API_VERSION"),
    serviceVersion: required("SERVICE_VERSION"),
  };
}
