-- A UUIDv7 (RFC 9562) with the time of an event and a random part.
CREATE OR REPLACE FUNCTION uuid_v7(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
-- Edition 1
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '-7' || substr(gen_random_uuid()::text, 16))::uuid
$$;
