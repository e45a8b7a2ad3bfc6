import fc from "fast-check";
import { generateSync, type JsonSchema } from "json-schema-faker";
import { contract } from "../../support/contract.ts";

/** A function that returns a random integer from 0 to `below` - 1. */
export type Random = (below: number) => number;
export const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;
/** True with a probability of `percent`. */
export const chance = (random: Random, percent: number): boolean => random(100) < percent;

/** Strings that are known to cause errors in services. */
const NOTORIOUS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "\ufeff",
  "\u200d",
  "'; DROP TABLE posts; --",
  "' OR 1=1",
  "${jndi:ldap://x}",
  "{{7*7}}",
  "../../etc/passwd",
  "..\\",
  "%00",
  "%2e%2e%2f",
  "%E0%A4%A",
  "\r\nSet-Cookie: x=1",
  "null",
  "undefined",
  "NaN",
  "Infinity",
  "-1",
  "-0",
  "0",
  "1e1",
  "9e999",
  "9007199254740993",
  "0x10",
  "1.0",
  "true",
  "[object Object]",
  "__proto__",
  "constructor",
  "toString",
  "javascript:alert(1)",
  "https://",
  "http://[::1",
  "http://a@b/",
  "01a1e35e-f078-759b-82a0-5d32985fb4e7",
  "01A1E35E-F078-759B-82A0-5D32985FB4E7",
  "urn:uuid:01a1e35e-f078-759b-82a0-5d32985fb4e7",
  "2030-02-30T00:00:00Z",
  "2030-01-01T00:00:00+99:99",
  "275760-09-13T00:00:00.001Z",
  "x".repeat(300),
  "🪚".repeat(100),
  " ".repeat(4_000),
  "x".repeat(10_001),
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
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    [],
    {},
    [[]],
    [null],
    { "": "" },
    { "a/b~c": 1 },
    { $ref: "#" },
    Array(1_001).fill(1),
    Array.from({ length: 400 }, (_, index) => index),
    ...fc.sample(fc.jsonValue({ maxDepth: 3 }), { seed, numRuns: 200 }),
  ];
  const broken = [
    "",
    " ",
    "{",
    "[",
    '{"a":',
    "{'a':1}",
    '{"a":1,}',
    "nonsense",
    "NaN",
    '"',
    "[".repeat(5_000),
    `${"[".repeat(40)}${"]".repeat(40)}`,
    `${'{"a":'.repeat(100)}1${"}".repeat(100)}`,
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '\ufeff{"title":"a","body":"b"}',
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
    const spoil: readonly (() => void)[] = [
      () => {
        copy[name] = pick(random, values);
      },
      () => {
        delete copy[name];
      },
      () => {
        copy[pick(random, strings)] = pick(random, values);
      },
      () => {
        copy[name] = [copy[name]];
      },
      () => {
        copy[name] = { [name]: copy[name] };
      },
      () => {
        copy[name] = typeof copy[name] === "string" ? `${copy[name]}${pick(random, strings)}` : pick(random, strings);
      },
    ];
    pick(random, spoil)();
  }
  return copy;
}
