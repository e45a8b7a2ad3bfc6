import { eventually } from "../eventually.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

const CLICKS = 214;
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

/** Mara creates two short URLs, and clients follow one of them. */
export async function urlsExamples({ mara, service }: Users): Promise<ExampleAnswers> {
  const generated = await mara("POST", "/urls", shownBody("createUrl", "generated_id"));
  const own = await mara("POST", "/urls", { ...shownBody("createUrl", "own_id"), expires_at: IN_A_YEAR });
  for (let click = 0; click < CLICKS; click++) await service.anonymous()("GET", "/u/boathouse-doors");
  const followed = await eventually("every click is counted", async () => {
    const answer = await mara("GET", "/urls/boathouse-doors");
    return answer.body.click_count === CLICKS && answer;
  });
  return {
    "createUrl generated_id": generated,
    "createUrl own_id": own,
    "getUrl followed": followed,
    "listUrls last_page": await mara("GET", "/urls"),
  };
}
