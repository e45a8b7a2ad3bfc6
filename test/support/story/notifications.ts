import type { Body } from "../client.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

/** What has happened so far, as Mara is told of it: two messages, one of them read, and her video. */
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
  };
}
