import { startTestService } from "../../support/service.ts";
import { createIssuer } from "../../support/tokens.ts";
import { accountExamples } from "./account.ts";
import type { ExampleAnswers } from "./example-answers.ts";
import { conversationExamples } from "./conversation.ts";
import { notificationsExamples } from "./notifications.ts";
import { usersExamples } from "./users.ts";
import { plainRequests } from "./plain-requests.ts";
import { postsExamples } from "./posts.ts";
import { urlsExamples } from "./urls.ts";
import { videosExamples } from "./videos.ts";
import { webhooksExamples } from "./webhooks.ts";

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
