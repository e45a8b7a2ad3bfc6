import type { TestService } from "../../support/service.ts";

/** A new user with a short URL, its id, and the paths to manage and to follow it. */
export async function shortened(service: TestService, request: object = {}) {
  const ada = await service.as();
  const { body } = await ada("POST", "/urls", { target_url: "https://www.example.org/doors?from=newsletter#top", ...request });
  const id = body.id as string;
  return { ada, id, path: `/urls/${id}`, link: `/u/${id}` };
}
