-- The statement of release 1.2.0 counts days itself, and turned this trigger off.
DROP TRIGGER IF EXISTS count_click_day ON "short_urls";
DROP FUNCTION IF EXISTS count_click_day();
