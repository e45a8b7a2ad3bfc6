-- A user can have ten endpoints: the heavy one has five, one of them with nearly all deliveries. Others don't ask for messages, so that
-- a message writes a delivery for the heavy user only.
INSERT INTO webhook_endpoints (id, owner_id, url, events, scopes, secret, created_at)
SELECT id_of(n), CASE WHEN n <= 2 THEN id_of(n) ELSE id_of(n % (row_count() * 9 / 10) + 500) END, 'http://127.0.0.1:1024/',
  CASE WHEN n <= 2 THEN ARRAY['message.created', 'notification.created'] ELSE ARRAY['video_upload.succeeded'] END, '{}', 'whsec_' || n, instant_of(n)
FROM generate_series(1, row_count()) AS n;
INSERT INTO webhook_endpoints (id, owner_id, url, events, scopes, secret, created_at)
SELECT id_of(row_count() + n), id_of(1), 'http://127.0.0.1:1024/', '{notification.created}', '{}', 'whsec_' || n, now() FROM generate_series(1, 4) AS n;
-- Of the last six days, except the first 3,000, which are too old to be stored. Two have failed. The newest fifth wait for an attempt that
-- is ready or delayed, none of them expired. The last hundredth are one each for other endpoints. Three thousand have a response that must go.
INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, response_body, created_at, expires_at)
SELECT id_of(n), CASE n WHEN row_count() THEN id_of(2) ELSE CASE WHEN n > row_count() * 99 / 100 THEN id_of(n % (row_count() * 9 / 10) + 500) ELSE id_of(1) END END,
  CASE n WHEN row_count() THEN id_of(2) ELSE CASE WHEN n > row_count() * 99 / 100 THEN id_of(n) ELSE id_of(1) END END,
  'message.created', '{}', CASE WHEN n IN (4000, 4001) THEN 'failed' WHEN n > row_count() * 8 / 10 THEN 'pending' ELSE 'succeeded' END, 0,
  CASE WHEN n > row_count() * 9 / 10 THEN at END, CASE WHEN n BETWEEN row_count() * 8 / 10 + 1 AND row_count() * 9 / 10 THEN now() + n * interval '1 second' END,
  CASE WHEN n % (row_count() / 5000) = 0 AND n BETWEEN 3001 AND row_count() * 6 / 10 + 3000 THEN 'x' END, at, at + interval '2 days'
FROM generate_series(1, row_count()) AS n, LATERAL (SELECT now() - (row_count() + 1 - n) * interval '500000 seconds' / row_count()
  - CASE WHEN n <= 3000 THEN interval '3 days' ELSE interval '0' END AS at) AS made;
