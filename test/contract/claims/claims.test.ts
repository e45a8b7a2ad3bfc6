import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestService, type TestService } from "../../support/service.ts";
import { claims, testClaims } from "./all.ts";
import type { Fixture } from "./claim.ts";

let service: TestService;
let fixture: Fixture;
beforeAll(async () => {
  // One of the limits at its default enables all of them.
  service = await startTestService({ RATE_LIMITS: "default=600/60" });
  fixture = {
    url: service.url,
    anonymous: service.anonymous(),
    as: (scopes) => service.as(scopes === undefined ? {} : { scopes }),
  };
});
afterAll(() => service.close());

describe("what the contract says", () => {
  testClaims(() => fixture);

  it("is checked in at least 100 sentences", () => {
    expect(Object.keys(claims).length).toBeGreaterThanOrEqual(100);
  });
});
