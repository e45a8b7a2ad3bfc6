import type { Request } from "express";
import { expect, it } from "@jest/globals";
import { createAddressOf } from "../../src/http/client-address.ts";

const addressOf = (ip: string) => createAddressOf()({ ip } as Request);

it.each([
  ["an IPv4 address and its form in IPv6 are one", "192.0.2.7", "::ffff:192.0.2.7", true],
  ["two IPv4 addresses are two, also in IPv6", "::ffff:192.0.2.7", "::ffff:192.0.2.8", false],
  ["IPv6 addresses with the same first 64 bits are one", "2001:db8:1:2::7", "2001:db8:1:2:ffff::8", true],
  ["IPv6 addresses that differ in bit 64 are two", "2001:db8:1:2::7", "2001:db8:1:3::7", false],
])("for a limit, %s: %s, %s", (_what, one, other, isOne) => {
  expect(addressOf(one) === addressOf(other)).toBe(isOne);
});
