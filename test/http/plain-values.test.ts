import { describe, expect, it } from "@jest/globals";
import { unusableValue } from "../../src/http/plain-values.ts";

/** A value nested in `levels` lists. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
const flawOf = (value: unknown) => unusableValue("body", value)?.data.errors?.[0];

describe("a value in a body", () => {
  it.each([
    ["33 levels deep", nested(33), "depth"],
    ["with NUL", { title: "a\0b" }, "pattern"],
    ["with NUL in a name", { "a\0b": 1 }, "pattern"],
    ["with a lone surrogate", { title: "\ud800" }, "pattern"],
    ["with an integer that JSON can't represent exactly", { count: 2 ** 53 }, "maximum"],
    ["with 257 fields in all", [Array.from({ length: 200 }, () => 1), Array.from({ length: 55 }, () => 1)], "maxProperties"],
    ["with 257 items", { ids: Array.from({ length: 257 }, () => 1) }, "maxItems"],
    ["with a slash in a name", { "a/b": 1 }, "additionalProperties"],
  ])("is refused: %s", (_what, value, code) => {
    expect(flawOf(value)).toMatchObject({ in: "body", code });
  });

  it.each([
    ["32 levels deep", nested(32)],
    ["with 256 fields in all", [Array.from({ length: 200 }, () => 1), Array.from({ length: 54 }, () => 1)]],
    ["with any other character", { title: "Zwölf Boxkämpfer 🥊\n" }],
    ["with the largest exact integer", { count: 2 ** 53 - 1 }],
  ])("is left to the schema: %s", (_what, value) => {
    expect(flawOf(value)).toBeUndefined();
  });
});
