import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

export type { SchemaEngine };

// Declared here because only lib.dom has it.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const MODULE = "@prisma/schema-engine-wasm/schema_engine_bg";
const CATALOGUE_CHAR_OID = 18;
const TEXT_OID = 25;
const CHARACTER_COLUMN = 6;

/** Runs `work` with Prisma's schema engine as WebAssembly, because the native one is not in the registry. */
export async function withSchemaEngine<T>(databaseUrl: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const engineClass = await loadSchemaEngine();
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: "plumbline migrations",
    // The timeouts of the sessions for requests must not end a migration.
    options: "-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0",
  });
  pool.on("error", () => {});
  try {
    const engine = await engineClass.new(
      { datamodels: undefined },
      () => {},
      bindMigrationAwareSqlAdapterFactory(adapterFactory(pool)),
    );
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}

let loaded: Promise<typeof SchemaEngine> | undefined;

function loadSchemaEngine(): Promise<typeof SchemaEngine> {
  return (loaded ??= instantiate());
}

/** Instantiates the module explicitly, because Node prints a warning when WebAssembly is imported. */
async function instantiate(): Promise<typeof SchemaEngine> {
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const bytes = readFileSync(
    createRequire(import.meta.url)
      .resolve(MODULE)
      .replace(/\.js$/, ".wasm"),
  );
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": { ...glue, ...unheldTimers(glue) } });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports["__wbindgen_start"] as () => void)();
  // The engine reports panics here. Otherwise, another error would hide the message.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        throw new Error(message);
      },
    },
  });
  return glue.SchemaEngine;
}

/** The engine never clears the timers of its timeouts; they must not keep the process alive for ten seconds. */
function unheldTimers(glue: object) {
  const names = Object.keys(glue).filter((name) => name.startsWith("__wbg_setTimeout_"));
  return Object.fromEntries(
    names.map((name) => [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()]),
  );
}

function adapterFactory(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: "postgres",
    adapterName: "@prisma/adapter-pg",
    connect: () => adapterOn(pool),
    // PrismaPg would run the migrations again in the database of the connection string.
    connectToShadowDb: () => Promise.reject(new Error("There is no shadow database; use a scratch database.")),
  };
}

/** PrismaPg with two corrections that the engine needs to run every migration and to read a schema. */
async function adapterOn(pool: pg.Pool): Promise<SqlDriverAdapter> {
  const adapter: SqlDriverAdapter = await new PrismaPg(pool).connect();
  // PrismaPg splits a script at every semicolon, even within a function; PostgreSQL takes it whole.
  adapter.executeScript = async (script) => {
    await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
  };

  // PrismaPg doesn't support the type "char" of the system catalog, which the engine requires.
  let letters: number[] = [];
  const query = pool.query.bind(pool) as (config: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>;
  pool.query = (async (config: pg.QueryArrayConfig) => {
    const result = await query(config);
    letters = [];
    result.fields?.forEach((field, index) => {
      if (field.dataTypeID !== CATALOGUE_CHAR_OID) return;
      field.dataTypeID = TEXT_OID;
      letters.push(index);
    });
    return result;
  }) as typeof pool.query;
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (config) => {
    const result = await queryRaw(config);
    for (const index of letters) result.columnTypes[index] = CHARACTER_COLUMN;
    return result;
  };
  return adapter;
}
