// Generated: do not edit, run `npm run generate`. From src/*/tables.ts.

import { tables as auditTrail } from "../src/audit-trail/tables.ts";
import { tables as auth } from "../src/auth/tables.ts";
import { tables as conversations } from "../src/conversations/tables.ts";
import { tables as database } from "../src/database/tables.ts";
import { tables as idempotency } from "../src/idempotency/tables.ts";
import { tables as limits } from "../src/limits/tables.ts";
import { tables as notifications } from "../src/notifications/tables.ts";
import { tables as posts } from "../src/posts/tables.ts";
import { tables as urls } from "../src/urls/tables.ts";
import { tables as videoUploads } from "../src/video-uploads/tables.ts";
import { tables as webhooks } from "../src/webhooks/tables.ts";

/** What the areas declare about their tables. */
export const tables = {
  ...auditTrail,
  ...auth,
  ...conversations,
  ...database,
  ...idempotency,
  ...limits,
  ...notifications,
  ...posts,
  ...urls,
  ...videoUploads,
  ...webhooks,
};
