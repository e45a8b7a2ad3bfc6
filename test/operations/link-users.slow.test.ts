import { beforeAll, describe, expect, it } from "@jest/globals";
import { createClient, type Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";
import { output, type Settings, userCommand } from "../support/plumbline.ts";

const issuer = prepare(createIssuer);
const service = prepare(() => startTestService({ ROLE: "api", ...issuer.settings }));
let settings: Settings;
beforeAll(() => {
  settings = { DATABASE_URL: service.databaseUrl, AUTH_ISSUER: issuer.settings.AUTH_ISSUER };
});

/** A client with a JWT of the identity provider. */
const bySubject = async (sub: string): Promise<Client> =>
  createClient(service.url, { userId: "", name: "", authorization: `Bearer ${await issuer.sign({ claims: { sub } })}` });
const userIdOf = async (client: Client): Promise<string> => (await client("GET", "/account")).body.user_id;

describe("a user that is linked to a subject", () => {
  it("is the same user with an API key and with a JWT, and owns the same resources", async () => {
    const mara = await service.as();
    expect(await output(settings, "link", mara.userId, "--subject", "mara")).toBe(
      `The JWTs of mara, issued by ${issuer.settings.AUTH_ISSUER}, now belong to user ${mara.userId}.`,
    );
    const signedIn = await bySubject("mara");
    expect(await userIdOf(signedIn)).toBe(mara.userId);
    const { body: post } = await mara("POST", "/posts", { title: "By key", body: "x" });
    expect(await signedIn("PATCH", `/posts/${post.id}`, { title: "By JWT" })).toMatchObject({
      status: 200,
      body: { author_id: mara.userId },
    });
    const { body: url } = await signedIn("POST", "/urls", { target_url: "https://example.com/" });
    expect(await mara("GET", `/urls/${url.id}`)).toMatchObject({ status: 200 });
    expect(await service.db.user.count({ where: { subject: "mara" } })).toBe(1);
    // Linking again succeeds, and changes nothing.
    expect((await userCommand(settings, "link", mara.userId, "--subject", "mara")).exit).toBe(0);
    expect(await output(settings, "list")).toContain(`  JWTs of mara, issued by ${issuer.settings.AUTH_ISSUER}\n`);
  });

  it("can't be linked to a second subject, and its subject can't be linked to a second user", async () => {
    const [ada, eve] = [await service.as(), await service.as()];
    await output(settings, "link", ada.userId, "--subject", "ada");
    for (const [userId, subject, reason] of [
      [ada.userId, "another", `User ${ada.userId} is already linked to ada of ${issuer.settings.AUTH_ISSUER}. Unlink it first.`],
      [eve.userId, "ada", `The JWTs of ada already belong to user ${ada.userId}`],
    ] as const) {
      const outcome = await userCommand(settings, "link", userId, "--subject", subject);
      expect(outcome).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining(reason) });
    }
    expect(await userIdOf(await bySubject("ada"))).toBe(ada.userId);
    expect(await userIdOf(eve)).toBe(eve.userId);
  });

  it("is one of several users with this subject, each from another issuer", async () => {
    const [one, other] = [await service.as(), await service.as()];
    await output(settings, "link", one.userId, "--subject", "same");
    await output(settings, "link", other.userId, "--subject", "same", "--issuer", "https://other.example");
    expect(await userIdOf(await bySubject("same"))).toBe(one.userId);
  });

  it("is separate from the subject again after it is unlinked", async () => {
    const ada = await service.as();
    await output(settings, "link", ada.userId, "--subject", "brief");
    const signedIn = await bySubject("brief");
    expect(await userIdOf(signedIn)).toBe(ada.userId);
    await output(settings, "unlink", ada.userId);
    await eventually("a separate user for the subject", async () => (await userIdOf(signedIn)) !== ada.userId, 10_000);
    expect(await userIdOf(ada)).toBe(ada.userId);
  });
});

describe("a user that the first JWT of a subject has created", () => {
  it("keeps its subject: linking another user fails with the id of this one, which can get an API key instead", async () => {
    const signedIn = await bySubject("first");
    const madeId = await userIdOf(signedIn);
    const { body: post } = await signedIn("POST", "/posts", { title: "By JWT", body: "x" });
    const late = await service.as();
    const refused = await userCommand(settings, "link", late.userId, "--subject", "first");
    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    const [, advised] = /: npm run -s plumbline -- user (key \S+)\n$/.exec(refused.stderr)!;
    expect(advised).toBe(`key ${madeId}`);
    expect(await userIdOf(signedIn)).toBe(madeId);

    const made = JSON.parse(await output(settings, ...advised!.split(" "), "--scopes", "posts:write", "--json")) as Record<
      string,
      string
    >;
    expect(made["user_id"]).toBe(madeId);
    const byKey = createClient(service.url, { userId: "", name: "", authorization: `Bearer ${made["api_key"]}` });
    expect(await byKey("GET", "/account")).toMatchObject({ status: 200, body: { user_id: madeId, scopes: ["posts:write"] } });
    expect(await byKey("PATCH", `/posts/${post.id}`, { title: "By key" })).toMatchObject({ status: 200 });
  });
});
