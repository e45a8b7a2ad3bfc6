import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

/** Tomás publishes a post and edits it. Mara does the same. */
export async function postsExamples({ mara, tomas }: Users): Promise<ExampleAnswers> {
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
