import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestService, type TestService } from "../../support/service.ts";
import { claims, testClaims } from "./all.ts";
import type { Place } from "./claim.ts";

let service: TestService;
let place: Place;
beforeAll(async () => {
  // One of the limits at its default turns all of them on.
  service = await startTestService({ RATE_LIMITS: "default=600/60" });
  place = {
    url: service.url,
    nobody: service.anonymous(),
    as: (scopes) => service.as(scopes === undefined ? {} : { scopes }),
  };
});
afterAll(() => service.close());

describe("what the contract says", () => {
  testClaims(() => place);

  it("is checked in at least 100 sentences", () => {
    expect(Object.keys(claims).length).toBeGreaterThanOrEqual(100);
  });
});
