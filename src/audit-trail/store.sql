-- name: purgeAuditEntries :execrows
DELETE FROM audit_entries WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM audit_entries WHERE expires_at < now() ORDER BY expires_at LIMIT :batch FOR UPDATE SKIP LOCKED));
