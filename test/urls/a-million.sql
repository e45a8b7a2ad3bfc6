-- The clicks of 400 days for each of the first 999 short URLs, which are not deleted, and for 1,500 deleted ones. No trigger
-- removes their days here. 3,000 rows are older than the stored days. The thousandth short URL was never clicked.
INSERT INTO click_days (short_url_id, day, click_count)
SELECT 'url-' || CASE n % 2500 WHEN 0 THEN 2500 ELSE n % 2500 END, (now() AT TIME ZONE 'UTC')::date - (n / 2500)::int, n
FROM generate_series(0, 999999) AS n WHERE n % 2500 <> 1000;
INSERT INTO click_days (short_url_id, day, click_count)
SELECT 'url-' || 5000 + n, (now() AT TIME ZONE 'UTC')::date - 410, 1 FROM generate_series(1, 3000) AS n;
