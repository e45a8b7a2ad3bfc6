import { randomUUIDv7 } from "node:crypto";
import type { Scope } from "#generated/operations.ts";
import { insertApiKey } from "../../../src/auth/api-keys.ts";
import { type Issuer, createIssuer } from "../../support/tokens.ts";
import type { Body } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { startTestService } from "../../support/service.ts";
import { type Users, type ExampleAnswers, shownBody } from "./example-answers.ts";
import { conversationExamples } from "./conversation.ts";
import { plainRequests } from "./plain-requests.ts";
import { videosExamples } from "./videos.ts";
import { webhooksExamples } from "./webhooks.ts";

const SCOPES: readonly Scope[] = ["conversations:read", "conversations:write", "posts:read", "posts:write"];

/** Mara requests her account with an API key and with a token of the identity provider. An anonymous client checks the health. */
async function accountExamples({ service, mara }: Users, issuer: Issuer): Promise<ExampleAnswers> {
  const apiKey = await insertApiKey(service.db, { userId: mara.userId, scopes: SCOPES });
  const jwt = await issuer.sign({ claims: { name: mara.userName, scope: "posts:read" } });
  return {
    "getAccount api_key": await service.anonymous(`Bearer ${apiKey}`)("GET", "/account"),
    "getAccount jwt": await service.anonymous(`Bearer ${jwt}`)("GET", "/account"),
    "getHealth pass": await service.anonymous()("GET", "/health"),
    "getLiveness pass": await service.anonymous()("GET", "/health/live"),
  };
}

const CLICKS = 214;
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

/** Mara creates two short URLs, and clients follow one of them, on the first and the last of three days. */
async function urlsExamples({ mara, service }: Users): Promise<ExampleAnswers> {
  const generated = await mara("POST", "/urls", shownBody("createUrl", "generated_id"));
  const own = await mara("POST", "/urls", { ...shownBody("createUrl", "own_id"), expires_at: IN_A_YEAR });
  for (let click = 0; click < CLICKS; click++) await service.anonymous()("GET", "/u/boathouse-doors");
  const followed = await eventually("every click is counted", async () => {
    const answer = await mara("GET", "/urls/boathouse-doors");
    return answer.body.click_count === CLICKS && answer;
  });
  const [first = "", , today = ""] = [2, 1, 0].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
  const shortUrlId = "boathouse-doors";
  const followedOn = (day: string, clickCount: number) => ({ shortUrlId, day: new Date(day), clickCount });
  await service.db.clickDay.deleteMany({ where: { shortUrlId } });
  await service.db.clickDay.createMany({ data: [followedOn(first, 131), followedOn(today, CLICKS - 131)] });
  // A replica has them a little later, and no response has a token for what a test writes itself.
  const days = await eventually("the clicks of each day", async () => {
    const answer = await mara("GET", `/urls/boathouse-doors/clicks?from=${first}&to=${today}`);
    return (answer.body.days as readonly Body[] | undefined)?.[0]?.click_count === 131 && answer;
  });
  return {
    "createUrl generated_id": generated,
    "createUrl own_id": own,
    "getUrl followed": followed,
    "getUrlClicks three_days": days,
    "listUrls last_page": await mara("GET", "/urls"),
  };
}

/** Tomás publishes a post and edits it. Mara does the same. */
async function postsExamples({ mara, tomas }: Users): Promise<ExampleAnswers> {
  const slates = await tomas("POST", "/posts", { title: "Slates ordered", body: "They come on the 19th." });
  await tomas("PATCH", slates.headers.get("location")!, {
    body: "Welsh ones after all. They come on the 19th, early in the morning.",
  });
  const doors = await mara("POST", "/posts", shownBody("createPost", "doors"));
  const path = doors.headers.get("location")!;
  return {
    "createPost doors": doors,
    "getPost doors": await mara("GET", path),
    "listPosts by_cursor": await mara("GET", "/posts?limit=1"),
    "listPosts by_offset": await mara("GET", "/posts?limit=1&offset=1"),
    "updatePost new_title": await mara("PATCH", path, shownBody("updatePost", "new_title")),
  };
}

/** The notifications of Mara so far: two about messages, one of which is read, and one about her video. */
async function notificationsExamples({ mara }: Users): Promise<ExampleAnswers> {
  const {
    body: {
      data: [video],
      seen,
    },
  } = (await mara("GET", "/notifications")) as { body: { data: [Body]; seen: string } };
  return {
    "getNotification unread": await mara("GET", `/notifications/${video.id}`),
    "listNotifications newest": await mara("GET", "/notifications?limit=2"),
    "updateNotifications all_read": await mara("PATCH", "/notifications", {
      ...shownBody("updateNotifications", "all_shown"),
      seen,
    }),
    "updateNotification archived": await mara("PATCH", `/notifications/${video.id}`, shownBody("updateNotification", "archive")),
  };
}

/** Mara finds Tomás, reads a deleted user, and saves her own name, which doesn't change. */
async function usersExamples({ service, mara }: Users): Promise<ExampleAnswers> {
  const key = await insertApiKey(service.db, { userId: mara.userId, scopes: ["account:write"] });
  return {
    "findUsers one": await mara("GET", "/users?name=tomas"),
    "getUser deleted": await mara("GET", `/users/${randomUUIDv7()}`),
    "updateAccount new_name": await service.anonymous(`Bearer ${key}`)(
      "PATCH",
      "/account",
      shownBody("updateAccount", "new_name"),
    ),
  };
}

/** Performs the story that the examples in the contract tell, and returns all responses. */
export async function produceExamples(): Promise<ExampleAnswers> {
  await using issuer = await createIssuer();
  const service = await startTestService({ ...issuer.settings, PUBLIC_URL: "https://plumb.example" });
  try {
    const mara = await service.as({ name: "Mara Lindqvist" });
    const tomas = await service.as({ name: "Tomás Oyelaran" });
    const yuki = await service.as({ name: "Yuki Brandt" });
    const users = { service, mara, tomas, yuki };
    const produced = {
      ...(await accountExamples(users, issuer)),
      ...(await urlsExamples(users)),
      ...(await postsExamples(users)),
      ...(await conversationExamples(users)),
      ...(await videosExamples(users)),
      ...(await notificationsExamples(users)),
      ...(await usersExamples(users)),
      ...(await webhooksExamples(users)),
    };
    return { ...produced, ...(await plainRequests(produced, mara)) };
  } finally {
    await service.close();
  }
}
