import { temporaryFolder } from "../media.ts";
import { startTestService } from "../service.ts";
import { createIssuer } from "../tokens.ts";
import { accountChapter } from "./account.ts";
import type { Chapter } from "./chapter.ts";
import { conversationChapter } from "./conversation.ts";
import { notificationsChapter } from "./notifications.ts";
import { plainReads } from "./plain-reads.ts";
import { postsChapter } from "./posts.ts";
import { urlsChapter } from "./urls.ts";
import { videosChapter } from "./videos.ts";

/** What the contract's examples tell, from the boathouse doors to the slates, done with the service: all its answers. */
export async function tellStory(): Promise<Chapter> {
  await using folder = await temporaryFolder();
  const issuer = await createIssuer(folder.path);
  const service = await startTestService({ ...issuer.settings, PUBLIC_URL: "https://plumb.example" });
  try {
    const mara = await service.as({ name: "Mara Lindqvist" });
    const tomas = await service.as({ name: "Tomás Oyelaran" });
    const yuki = await service.as({ name: "Yuki Brandt" });
    const cast = { service, mara, tomas, yuki };
    const told = {
      ...(await accountChapter(cast, issuer)),
      ...(await urlsChapter(cast)),
      ...(await postsChapter(cast)),
      ...(await conversationChapter(cast)),
      ...(await videosChapter(cast)),
      ...(await notificationsChapter(cast)),
    };
    return { ...told, ...(await plainReads(told, mara)) };
  } finally {
    await service.close();
  }
}
