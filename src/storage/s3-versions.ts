import type { LifecycleRule } from "@aws-sdk/client-s3";
import { orNull, type OldVersions } from "./object-store.ts";
import { isMissing, isNotImplemented, type Bucket } from "./s3-bucket.ts";

/**
 * With versioning, a bucket retains deleted objects as old versions until a lifecycle rule removes them. Unknown without the
 * permission to read these settings.
 */
export async function findOldVersions({ sdk, client, name, root }: Bucket): Promise<OldVersions> {
  try {
    const { Status } = await client.send(new sdk.GetBucketVersioningCommand({ Bucket: name }));
    // Suspended versioning makes no new versions, but old ones stay.
    if (Status === undefined) return { stay: "never" };
    const found = await orNull(client.send(new sdk.GetBucketLifecycleConfigurationCommand({ Bucket: name })), isMissing);
    const days = (found?.Rules ?? [])
      .filter((it) => coversAll(it, root))
      .map((it) => it.NoncurrentVersionExpiration!.NoncurrentDays!);
    return days.length === 0 ? { stay: "for ever" } : { stay: "days", days: Math.min(...days) };
  } catch (error) {
    // Most servers without versioning return this error.
    return isNotImplemented(error) ? { stay: "never" } : { stay: "unknown", reason: (error as Error).message };
  }
}

/** Whether a rule removes all old versions below the prefix, without a filter by tag, size or number. */
function coversAll({ Status, Filter, Prefix, NoncurrentVersionExpiration: end }: LifecycleRule, prefix: string): boolean {
  if (Status !== "Enabled" || end?.NoncurrentDays === undefined || end.NewerNoncurrentVersions !== undefined) return false;
  const { Prefix: only = Prefix ?? "", ...others } = Filter ?? {};
  return prefix.startsWith(only) && Object.values(others).every((it) => it === undefined);
}
