-- What the title and the body of a notification are made of. `title` stays: the previous release reads it, so `add_notifications` writes
-- it, too, but no `body` about webhook endpoints. Notifications that have it alone are from before, and go after 90 days.
ALTER TABLE "notifications" ADD COLUMN     "actor_name" VARCHAR(100),
ADD COLUMN     "detail" JSONB,
ADD COLUMN     "subject_title" VARCHAR(255);
