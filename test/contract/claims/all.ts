import { it } from "@jest/globals";
import { isInContract, type Claims, type Fixture } from "./claim.ts";
import { conversations } from "./conversations.ts";
import { lists } from "./lists.ts";
import { notifications } from "./notifications.ts";
import { users } from "./users.ts";
import { posts } from "./posts.ts";
import { requests } from "./requests.ts";
import { retries } from "./retries.ts";
import { urls } from "./urls.ts";
import { videoUploads } from "./videos.ts";

/** The last claim of `retries` uses up the wrong tokens that an address can send, so it comes last. */
export const claims: Claims = {
  ...requests,
  ...lists,
  ...urls,
  ...notifications,
  ...videoUploads,
  ...conversations,
  ...posts,
  ...users,
  ...retries,
};

/** A test for each claim, named by its sentence. */
export function testClaims(fixture: () => Fixture): void {
  it.each(Object.entries(claims))("%s", async (sentence, ask) => {
    if (!isInContract(sentence)) throw new Error("The contract no longer has this sentence: change the claim in this folder.");
    await ask(fixture());
  });
}
