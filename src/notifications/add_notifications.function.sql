-- Notifies users of an event, in the transaction of the event, so that both are committed or neither is. An unread notification of the same
-- user, subject and kind counts the event. It keeps its position, so that no page of a list misses it. A read or expired one is replaced.
-- A counted event changes no indexed column, so that PostgreSQL writes only the row (a HOT update). `wire.ts` makes the sentences.
--   actor_id       the user who caused the event, with the name at that time. Null if no user did; no name if the user is deleted
--   subject_title  the title or name of the subject at that time
--   body           the text of the actor, or the reason of a failure
--   detail         further data of the kind
--   subject_id     the resource that changed, at the time `at`
--   events         the number of events for each recipient, if there are several. The other arguments are those of the last event
--   title          only for the previous release, which reads a whole sentence. By default, it is made here
CREATE OR REPLACE FUNCTION add_notifications(recipients uuid[], kind text, actor_id uuid, actor_name text, subject_title text, body text,
  detail jsonb, subject_id text, resource_type text, resource_id text, resource_href text, at timestamptz DEFAULT clock_timestamp(),
  events int[] DEFAULT NULL, title text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
-- Edition 2
#variable_conflict use_column
DECLARE
  subscribers uuid[];
  created record;
BEGIN
  title := coalesce(title, CASE split_part(kind, '.', 1)
    WHEN 'message' THEN coalesce(actor_name, 'A deleted user') || coalesce(' wrote in ' || subject_title, ' wrote to you')
    WHEN 'conversation' THEN coalesce(actor_name, 'A deleted user') || ' added you to ' || coalesce(subject_title, 'a conversation')
    WHEN 'video_upload' THEN 'Your video ' || coalesce(subject_title, 'without a name')
      || CASE kind WHEN 'video_upload.succeeded' THEN ' is ready' ELSE ' could not be processed' END
    ELSE 'A webhook endpoint of yours was ' || split_part(kind, '.', 2) END);
  -- The maximum of the contract, in characters.
  IF length(title) > 200 THEN title := left(title, 199) || '…'; END IF;
  IF length(body) > 500 THEN body := left(body, 499) || '…'; END IF;
  -- The order of the users keeps two events of one subject from a deadlock. A subquery hides an array from the planner, which otherwise
  -- plans the statement again for each length.
  INSERT INTO notifications AS n (id, user_id, actor_id, actor_name, subject_id, subject_title, kind, title, body, detail, resource_type,
    resource_id, resource_href, created_at, updated_at, event_count)
  SELECT uuid_v7(at), recipient, add_notifications.actor_id, add_notifications.actor_name,
    add_notifications.subject_id, add_notifications.subject_title, add_notifications.kind, add_notifications.title,
    add_notifications.body, add_notifications.detail, add_notifications.resource_type, add_notifications.resource_id,
    add_notifications.resource_href, at, at, coalesce(event, 1)
  FROM unnest((SELECT recipients), (SELECT events)) AS input (recipient, event) ORDER BY recipient
  ON CONFLICT (user_id, subject_id, kind) DO UPDATE SET
    id = CASE WHEN n.read_at IS NULL AND excluded.updated_at - n.updated_at < interval '90 days' THEN n.id ELSE excluded.id END,
    created_at = CASE WHEN n.read_at IS NULL AND excluded.updated_at - n.updated_at < interval '90 days'
      THEN n.created_at ELSE excluded.created_at END,
    event_count = excluded.event_count + CASE WHEN n.read_at IS NULL AND excluded.updated_at - n.updated_at < interval '90 days'
      THEN n.event_count ELSE 0 END,
    read_at = NULL, updated_at = excluded.updated_at, actor_id = excluded.actor_id, actor_name = excluded.actor_name,
    subject_title = excluded.subject_title, title = excluded.title, body = excluded.body, detail = excluded.detail,
    resource_type = excluded.resource_type, resource_id = excluded.resource_id, resource_href = excluded.resource_href,
    xact_id = excluded.xact_id;
  SELECT array_agg(DISTINCT owner_id) INTO subscribers FROM webhook_endpoints
    WHERE owner_id = ANY (recipients) AND disabled_because IS NULL AND 'notification.created' = ANY (webhook_endpoints.events);
  IF subscribers IS NOT NULL THEN
    -- A notification that counts earlier events, too, is not a new one. A join would read those of all recipients for each of them. In a
    -- loop, because on a cluster a query can't call the function.
    FOR created IN SELECT n.user_id, n.id FROM notifications n
      WHERE n.user_id = ANY (subscribers) AND n.subject_id = add_notifications.subject_id AND n.kind = add_notifications.kind
        AND n.event_count = coalesce(add_notifications.events[array_position(recipients, n.user_id)], 1)
    LOOP
      PERFORM tell_endpoints(ARRAY[created.user_id], 'notification.created', ARRAY[jsonb_build_object('notification_id', created.id)], at);
    END LOOP;
  END IF;
END $$;
