-- The clicks of 400 days for each of the first short URLs. Those above 1,000 are deleted, and no trigger removes their days here. 3,000
-- rows are older than the stored days. The thousandth short URL was never clicked.
INSERT INTO click_days (short_url_id, day, click_count)
SELECT 'url-' || n % (row_count() / 400) + 1, (now() AT TIME ZONE 'UTC')::date - (n / (row_count() / 400))::int, n
FROM generate_series(0, row_count() - 1) AS n WHERE n % (row_count() / 400) <> 999;
INSERT INTO click_days (short_url_id, day, click_count)
SELECT 'url-' || 5000 + n, (now() AT TIME ZONE 'UTC')::date - 410, 1 FROM generate_series(1, 3000) AS n;
