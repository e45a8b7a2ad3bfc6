import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://example.com/a";

async function shortened(extra: object = {}) {
  const ada = await service.as();
  const { body, headers } = await ada("POST", "/urls", { target_url: TARGET, ...extra });
  return { ada, url: body, path: headers.get("location")! };
}

describe("DELETE /urls/{id}", () => {
  it("returns 204 for one of five concurrent requests and 404 for the others", async () => {
    const { ada, path } = await shortened();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("DELETE", path)));
    expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  it("deletes an expired short URL", async () => {
    const { ada, url, path } = await shortened();
    await service.db.shortUrl.update({ where: { id: url.id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect(await ada("DELETE", path)).toMatchObject({ status: 204 });
  });
});
