import type { Body } from "../../support/client.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

/** The notifications of Mara so far: two about messages, one of which is read, and one about her video. */
export async function notificationsExamples({ mara }: Users): Promise<ExampleAnswers> {
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
