import pg from "pg";

const parserOf = (oid: number) => pg.types.getTypeParser(oid, "text") as (text: string) => unknown;
const asText = (text: string) => text;
const { builtins } = pg.types;
/** The array types, for which pg has parsers without names. */
const [TEXT_ARRAY, UUID_ARRAY, INT4_ARRAY] = [1009, 2951, 1007];

/** How the text of a column becomes a value, by PostgreSQL's name of the type. `npm run generate` writes the names into the statements. */
const PARSERS = {
  ...{ uuid: asText, text: asText, varchar: asText, bpchar: asText, timestamptz: toInstant },
  ...{ int2: Number, int4: Number, int8: Number, float8: Number, bool: (text: string) => text === "t" },
  ...{ json: JSON.parse as (text: string) => unknown, jsonb: JSON.parse as (text: string) => unknown },
  ...{ bytea: parserOf(builtins.BYTEA), _text: parserOf(TEXT_ARRAY), _varchar: parserOf(TEXT_ARRAY) },
  ...{ _uuid: parserOf(UUID_ARRAY), _int4: parserOf(INT4_ARRAY) },
} as const;

export type ColumnType = keyof typeof PARSERS;
export type ParseColumn = (text: string) => unknown;

export const parserOfColumn = (type: ColumnType): ParseColumn => PARSERS[type];
export const isColumnType = (name: string): name is ColumnType => Object.hasOwn(PARSERS, name);

/** Converts `2026-11-22 05:00:00.1+00`, the form of a session in UTC, to `2026-11-22T05:00:00.100Z`. */
export function toInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, "0")}Z`;
}
