import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestService, type TestService } from "../support/service.ts";

describe("POST /urls", () => {
  let service: TestService;
  beforeAll(async () => { service = await startTestService(); });
  afterAll(() => service.close());

  it("answers 201 with a Location at which the short URL can be read back", async () => {
    const ada = await service.as();
    const created = await ada("POST", "/urls", { target_url: "https://example.com/a" });
    expect(created).toMatchObject({ status: 201, body: { target_url: "https://example.com/a", click_count: 0 } });
    const read = await ada("GET", created.headers.get("location")!);
    expect(read).toMatchObject({ status: 200, body: created.body });
  });
});
