-- name: findPlayable :one
-- The result of a user's upload that has succeeded, with its name. Nothing once the deletion of the user has begun.
SELECT upload.name, upload.result FROM video_uploads upload JOIN users owner ON owner.id = upload.owner_id
WHERE upload.id = :id AND upload.owner_id = :owner_id AND upload.status = 'succeeded' AND owner.deleted_at IS NULL;
