import type { Body } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

const CLICKS = 214;
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

/** Mara creates two short URLs, and clients follow one of them, on the first and the last of three days. */
export async function urlsExamples({ mara, service }: Users): Promise<ExampleAnswers> {
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
