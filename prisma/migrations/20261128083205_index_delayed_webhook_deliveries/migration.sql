CREATE INDEX CONCURRENTLY "webhook_deliveries_delayed_idx" ON "webhook_deliveries"("delayed_until") WHERE "delayed_until" IS NOT NULL
