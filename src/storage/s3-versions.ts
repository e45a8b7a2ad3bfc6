import type { LifecycleRule } from "@aws-sdk/client-s3";
import { orNull, type OldVersions } from "./object-store.ts";
import { isMissing, isNotImplemented, type Bucket } from "./s3-bucket.ts";

/**
 * What becomes of objects that were removed: nothing stays of them unless the bucket has versioning, and then a
 * lifecycle rule can end their old versions after some days. Without the rights to ask, it is not known.
 */
export async function findOldVersions({ sdk, client, name, root }: Bucket): Promise<OldVersions> {
  try {
    const { Status } = await client.send(new sdk.GetBucketVersioningCommand({ Bucket: name }));
    // Suspended versioning makes no more versions, but doesn't remove those that exist.
    if (Status === undefined) return { stay: "never" };
    const found = await orNull(client.send(new sdk.GetBucketLifecycleConfigurationCommand({ Bucket: name })), isMissing);
    const days = (found?.Rules ?? [])
      .filter((it) => coversAll(it, root))
      .map((it) => it.NoncurrentVersionExpiration!.NoncurrentDays!);
    return days.length === 0 ? { stay: "for ever" } : { stay: "days", days: Math.min(...days) };
  } catch (error) {
    // Most servers that know no versions say so in this way.
    return isNotImplemented(error) ? { stay: "never" } : { stay: "unknown", reason: (error as Error).message };
  }
}

/** Whether a rule ends all old versions below the prefix, and not only those with a tag, of a size, or beyond a number. */
function coversAll({ Status, Filter, Prefix, NoncurrentVersionExpiration: end }: LifecycleRule, prefix: string): boolean {
  if (Status !== "Enabled" || end?.NoncurrentDays === undefined || end.NewerNoncurrentVersions !== undefined) return false;
  const { Prefix: only = Prefix ?? "", ...others } = Filter ?? {};
  return prefix.startsWith(only) && Object.values(others).every((it) => it === undefined);
}
