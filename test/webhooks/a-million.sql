-- A user can have ten endpoints: the heavy one has five, one of them with nearly all deliveries. Others don't ask for messages, so that
-- a message writes a delivery for the heavy user only.
INSERT INTO webhook_endpoints (id, owner_id, url, events, scopes, secret, created_at)
SELECT id_of(n), CASE WHEN n <= 2 THEN id_of(n) ELSE id_of(n % 900000 + 500) END, 'http://127.0.0.1:1024/',
  CASE WHEN n <= 2 THEN ARRAY['message.created', 'notification.created'] ELSE ARRAY['video_upload.succeeded'] END, '{}', 'whsec_' || n, instant_of(n)
FROM generate_series(1, 1000000) AS n;
INSERT INTO webhook_endpoints (id, owner_id, url, events, scopes, secret, created_at)
SELECT id_of(1000000 + n), id_of(1), 'http://127.0.0.1:1024/', '{notification.created}', '{}', 'whsec_' || n, now() FROM generate_series(1, 4) AS n;
-- Half a second apart, except the first 3,000, which are too old to be stored. Two have failed. The newest fifth wait for an attempt that
-- is ready or delayed, none of them expired. The last ten thousand are one each for other endpoints. Three thousand have a response that must go.
INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, response_body, created_at, expires_at)
SELECT id_of(n), CASE n WHEN 1000000 THEN id_of(2) ELSE CASE WHEN n > 990000 THEN id_of(n % 900000 + 500) ELSE id_of(1) END END,
  CASE n WHEN 1000000 THEN id_of(2) ELSE CASE WHEN n > 990000 THEN id_of(n) ELSE id_of(1) END END,
  'message.created', '{}', CASE WHEN n IN (4000, 4001) THEN 'failed' WHEN n > 800000 THEN 'pending' ELSE 'succeeded' END, 0,
  CASE WHEN n > 900000 THEN at END, CASE WHEN n BETWEEN 800001 AND 900000 THEN now() + n * interval '1 second' END,
  CASE WHEN n % 200 = 0 AND n BETWEEN 3001 AND 603000 THEN 'x' END, at, at + interval '2 days'
FROM generate_series(1, 1000000) AS n, LATERAL (SELECT now() - (1000001 - n) * interval '0.5 seconds'
  - CASE WHEN n <= 3000 THEN interval '3 days' ELSE interval '0' END AS at) AS made;
