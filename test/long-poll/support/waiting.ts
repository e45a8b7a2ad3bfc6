import { openConversation, send } from "../../support/conversations.ts";
import { createTestDatabase, openSession } from "../../support/database.ts";
import { startTestService } from "../../support/service.ts";

/** Two processes of the API with one database. Ada sends to the first one, and bo reads from `other`. */
export async function startPair(settings: Readonly<Record<string, string>>) {
  const stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  const shared = { url: database.url, drop: async () => undefined };
  stack.defer(() => database.drop());
  const first = stack.use(await startTestService(settings, shared));
  const other = stack.use(await startTestService(settings, shared));
  return {
    first,
    other,
    async withMessage() {
      const ada = await first.as();
      const bo = await other.as();
      const conversation = await openConversation(ada, [bo]);
      await send(ada, conversation, "One");
      const { body } = await bo("GET", `${conversation.messages}?limit=1`);
      return { ada, bo, conversation, after: body.page.prev_cursor as string };
    },
    /** Closes the sessions on which the processes listen, as a restart of a network does. */
    async dropListeners(): Promise<void> {
      await using session = await openSession(database.url);
      await session.query(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'plumbline changes' AND datname = current_database()",
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
