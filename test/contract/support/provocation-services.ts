import { startOverloaded, startWithHandlers } from "../../support/stub-handlers.ts";
import type { Services } from "../provocations/provocation.ts";
import { createTestDatabase } from "../../support/database.ts";
import { LINK_SECRET } from "../../support/playback.ts";
import { gather } from "../../support/resources.ts";
import { startTestService } from "../../support/service.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

/** Starts an ordinary service, one with low rate limits and without a directory, one under overload, one whose handlers fail, and one without database. */
export async function startProvocationServices(): Promise<Services & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const start = async (settings: Record<string, string>) =>
    stack.adopt(await startTestService({ ROLE: "api", CURSOR_SECRETS: LINK_SECRET, ...settings }), (it) => it.close());
  // Some provocations wait until this timeout. Each that meets a first attempt needs two connections at once.
  const service = await start({ IDLE_TIMEOUT_SECONDS: "5", DATABASE_POOL_SIZE: "20" });
  const rates = "default=1/60,writes=1/60,directory=1/60,uploads=1/3600,follow=1/60,playback=1/60";
  const thrifty = await start({ RATE_LIMITS: rates, USER_DIRECTORY: "off" });
  const crowded = stack.adopt(await startOverloaded(), (it) => it.close());
  const broken = stack.adopt(
    await startWithHandlers(async () => {
      throw new Error("An unforeseen error.");
    }),
    (it) => it.close(),
  );
  const database = stack.adopt(await createTestDatabase(), (it) => it.drop());
  const proxy = stack.use(await startTcpProxy(database.url));
  const severed = await start({ DATABASE_URL: proxy.url });
  await proxy.cut();
  const [people, powerless] = [await gather(service), await service.as({ scopes: [] })];
  const owned = stack.move();
  return { service, people, powerless, thrifty, crowded, broken, severed, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
