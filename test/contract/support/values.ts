import { randomUUIDv7 } from "node:crypto";
import fc from "fast-check";
import { generateSync, type JsonSchema } from "json-schema-faker";
import { resolve } from "../../../src/contract/bundle.ts";
import { contract } from "../../support/contract.ts";
import type { Random } from "../../support/seed.ts";

export type Schema = { readonly [key: string]: unknown; readonly type?: unknown; readonly items?: Schema };
export const schemaAt = (schema: Schema): Schema => ({ ...schema, ...resolve<Schema>(contract, schema) });

const ID = "01a1e35e-f078-759b-82a0-5d32985fb4e7";
/** Texts that can't be stored: NUL, and lone halves of surrogate pairs. */
export const UNSTORABLE = ["\0", "a\0b", "\udfff", "a\ud800b"];
/** Whether a text or a JSON value has none of them, and no integer that JSON can't represent exactly. */
export const isStorable = (value: unknown): boolean =>
  !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value)) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** Texts of the usual forms, some with one character too many. */
const FORMS = [
  ...["a", "abcd", "-abc", "_abc", "ab cd", "ab.cd", "ab%20", "a\\b", "abcd\n", "a/bc", "a\nb", "a\tb", "a\x7fb", "   ", ""],
  ...["🔗🔗🔗🔗", '"abcdefgh', "key,key-1"],
  // Line breaks and spaces of Unicode, and texts that show nothing.
  ...["ab\x85cd", "ab\u2028cd", "ab\u2029cd", "\u3000abcd", "\u200b\u200b\u200b\u200b", "\u3164\u2800\u3164\u2800"],
];
const IDS = [ID, ID.toUpperCase(), `urn:uuid:${ID}`, ID.slice(1), `${ID}0`, `{${ID}}`];

/** Texts at both sides of each limit of a schema, and of the usual forms. */
export function textsFor(schema: Schema): readonly string[] {
  const { minLength, maxLength, enum: values = [] } = schema as { minLength?: number; maxLength?: number; enum?: string[] };
  const lengths = [minLength, maxLength].flatMap((it) => (it === undefined ? [] : [it - 1, it, it + 1]));
  // The last form is a target URL.
  const ofLength = lengths.flatMap((it) => [
    "x".repeat(Math.max(0, it)),
    "https://example.com/".padEnd(it, "x"),
    "🪚".repeat(Math.max(0, it)),
  ]);
  return [...new Set([...FORMS, ...UNSTORABLE, ...IDS, ...values, ...ofLength])];
}

/** Values in JSON: texts, other types, and lists at both sides of their limits. */
export function valuesFor(reference: Schema): readonly unknown[] {
  const schema = schemaAt(reference);
  const others = [null, true, 7, 2 ** 53, {}, [], ["x"], { x: "\0" }];
  if (schema.type === "integer") return [...limitsOf(schema), 1.5, "1", ...others];
  if (schema.type !== "array") return [...textsFor(schema), ...others];
  const { minItems = 0, maxItems = 0 } = schema as { minItems?: number; maxItems?: number };
  const lists = [minItems, maxItems, maxItems + 1].map((length) => Array.from({ length }, () => randomUUIDv7()));
  return [...others, ...lists, [ID, ID], ID, ...valuesFor(schema.items!).map((it) => [it])];
}

const INTEGERS = ["0", "1", "5", "-1", "1.5", "1e1", "+5", "05", "0x5", " 5", "abc", "", "9e999", "9007199254740993"];
/** Texts of numbers, some at both sides of each limit of a schema. */
export const numbersFor = (schema: Schema): readonly string[] => [...INTEGERS, ...limitsOf(schema).map(String)];

function limitsOf({ minimum, maximum }: Schema): readonly number[] {
  return [minimum, maximum].flatMap((it) => (typeof it === "number" ? [it - 1, it, it + 1] : []));
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;
/** True with a probability of `percent`. */
export const chance = (random: Random, percent: number): boolean => random(100) < percent;

/** Strings that are known to cause errors in services. */
const NOTORIOUS = [
  ...[...FORMS, ...UNSTORABLE, ...IDS, ...INTEGERS],
  ...[
    "\u202e",
    "\ufeff",
    "\u200d",
    "'; DROP TABLE posts; --",
    "' OR 1=1",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "../../etc/passwd",
    "..\\",
  ],
  ...["%00", "%2e%2e%2f", "%E0%A4%A", "\r\nSet-Cookie: x=1", "null", "undefined", "NaN", "Infinity", "-0", "0x10", "1.0", "true"],
  ...["[object Object]", "__proto__", "constructor", "toString", "javascript:alert(1)", "https://", "http://[::1", "http://a@b/"],
  ...["2030-02-30T00:00:00Z", "2030-01-01T00:00:00+99:99", "275760-09-13T00:00:00.001Z"],
  ...["x".repeat(300), "🪚".repeat(100), " ".repeat(4_000), "x".repeat(10_001)],
];

export type Hostile = {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly texts: readonly string[];
};

/** Values that fit no schema: strings, JSON values, and bodies that can be invalid JSON. */
export function hostile(seed: number): Hostile {
  const strings = [
    ...NOTORIOUS,
    ...fc.sample(fc.string({ unit: "binary", maxLength: 40 }), { seed, numRuns: 200 }),
    ...fc.sample(fc.string({ unit: "grapheme", maxLength: 60 }), { seed, numRuns: 100 }),
  ];
  const values = [
    ...strings,
    ...[null, true, false, 0, -1, 1.5, 1e21, 2 ** 53, [], {}, [[]], [null], { "": "" }, { "a/b~c": 1 }, { $ref: "#" }],
    ...[Array(1_001).fill(1), Array.from({ length: 400 }, (_, index) => index)],
    ...fc.sample(fc.jsonValue({ maxDepth: 3 }), { seed, numRuns: 200 }),
  ];
  const broken = [
    ...["", " ", "{", "[", '{"a":', "{'a':1}", '{"a":1,}', "nonsense", "NaN", '"', '\ufeff{"title":"a","body":"b"}'],
    ...["[".repeat(5_000), `${"[".repeat(40)}${"]".repeat(40)}`, `${'{"a":'.repeat(100)}1${"}".repeat(100)}`],
    ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}'],
  ];
  return { strings, values, texts: [...broken, ...values.map((it) => JSON.stringify(it))] };
}

/** A value that a schema allows. Sometimes it doesn't, because the generator knows fewer keywords than the validator. */
export function valid(schema: object, random: Random): unknown {
  // The schema is a part of a larger one, because the generator takes an unknown keyword for an example. An object without fields
  // would get a field `components`.
  const whole = { type: "object", properties: { value: schema }, required: ["value"], components: contract.components };
  const generate = (options: object): unknown =>
    (generateSync(whole as unknown as JsonSchema, { seed: random(2 ** 30), maxItems: 4, ...options }) as { value: unknown })
      .value;
  try {
    return generate({ optionalsProbability: 0.5 });
  } catch {
    // Without optional fields, it can't create an object that needs at least one field.
    return generate({ alwaysFakeOptionals: true });
  }
}

/** An object with one or two changes: a field that is replaced, removed or added, or a text that is longer or damaged. */
export function mutated(value: unknown, random: Random, { strings, values }: Hostile): unknown {
  if (typeof value !== "object" || value === null || chance(random, 8)) return pick(random, values);
  const copy: Record<string, unknown> = { ...value };
  for (let change = 0; change <= random(2); change++) {
    const name = pick(random, Object.keys(copy)) ?? "title";
    const old = copy[name];
    const spoil: readonly (() => unknown)[] = [
      () => (copy[name] = pick(random, values)),
      () => delete copy[name],
      () => (copy[pick(random, strings)] = pick(random, values)),
      () => (copy[name] = [old]),
      () => (copy[name] = { [name]: old }),
      () => (copy[name] = `${typeof old === "string" ? old : ""}${pick(random, strings)}`),
    ];
    pick(random, spoil)();
  }
  return copy;
}
