-- The deliveries with a response. Almost all of them are of test events, as others are removed by an hourly job and by each erasure.
CREATE INDEX CONCURRENTLY "webhook_deliveries_response_idx" ON "webhook_deliveries"("id") WHERE "response_body" IS NOT NULL;
