import { describe, expect, it } from "@jest/globals";
import { flawsOf } from "../support/contract.ts";

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/**
 * The contract describes these formats only in prose, because clients break on a pattern there. So the witness must check
 * them.
 */
describe("the witness of all responses", () => {
  it.each(["2026-11-18T17:20:05.331Z", "2024-02-29T00:00:00.000Z"])("accepts the timestamp %s", (text) => {
    expect(flawsOf(schema("Timestamp"), text)).toBeNull();
  });

  it.each([
    ["without decimals", "2026-11-18T17:20:05Z"],
    ["with microseconds", "2026-11-18T17:20:05.331123Z"],
    ["with an offset", "2026-11-18T17:20:05.331+00:00"],
    ["in lower case", "2026-11-18t17:20:05.331z"],
    ["of 30 February", "2026-02-30T17:20:05.331Z"],
    ["with a space instead of the T", "2026-11-18 17:20:05.331Z"],
    ["of a year beyond 9999", "+012026-11-18T17:20:05.331Z"],
  ])("rejects a timestamp %s", (_what, text) => {
    expect(flawsOf(schema("Timestamp"), text)).not.toBeNull();
  });

  it.each([
    ["in capitals", "01A1EFAC-3ED3-7E8E-9855-DCB0C0290103"],
    ["as a URN", "urn:uuid:01a1efac-3ed3-7e8e-9855-dcb0c0290103"],
    ["in braces", "{01a1efac-3ed3-7e8e-9855-dcb0c0290103}"],
  ])("rejects a UUID %s", (_what, text) => {
    expect(flawsOf(schema("Uuid"), "01a1efac-3ed3-7e8e-9855-dcb0c0290103")).toBeNull();
    expect(flawsOf(schema("Uuid"), text)).not.toBeNull();
  });
});
