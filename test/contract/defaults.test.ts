import { describe, expect, it } from "@jest/globals";
import { readConfig } from "../../src/config.ts";
import { DEFAULT_RATES } from "../../src/settings/values.ts";
import { isInContract } from "./claims/claim.ts";

const config = readConfig({});
const GIB = 2 ** 30;

/** A part of a sentence with a number that the operator can change, what the service uses without a setting, and the number. */
const DEFAULTS: readonly (readonly [string, number, number])[] = [
  ["**What other users change can show later**, by default at most 5 seconds.", config.REPLICA_MAX_LAG_SECONDS, 5],
  ["You can have 128 requests running at the same time", config.MAX_IN_FLIGHT_PER_USER, 128],
  ["at the same time, 8 of them uploads.", config.MAX_UPLOADS_PER_USER, 8],
  ["Without a token, 128 requests from one IP address can run at the same time.", config.MAX_IN_FLIGHT_PER_ADDRESS, 128],
  ["or 64 KiB of a video longer than 30 seconds, you get 408.", config.IDLE_TIMEOUT_SECONDS, 30],
  ["If you read nothing for 30 seconds (by default), the service closes the connection.", config.IDLE_TIMEOUT_SECONDS, 30],
  ["at most what the operator allows (2 GiB by default).", config.MAX_UPLOAD_BYTES, 2 * GIB],
  ["You can store 20 GiB by default.", config.MAX_STORED_BYTES_PER_USER, 20 * GIB],
  ["has taken 6 hours within 24 hours (by default)", config.VIDEO_MINUTES_PER_USER, 6 * 60],
  ["After 30 wrong tokens in 60 seconds from one IP address", DEFAULT_RATES.failed_authentication.quota, 30],
  ["| `searches` | finding users by name, too | user | 500 in 24 hours |", DEFAULT_RATES.searches.quota, 500],
  ["| `follow` | following a short URL | IP address | 1 200 in 60 s |", DEFAULT_RATES.follow.quota, 1_200],
];

describe("a default in the contract is the default of the service", () => {
  it.each(DEFAULTS)("%s", (sentence, used, named) => {
    expect(isInContract(sentence)).toBe(true);
    expect(used).toBe(named);
  });
});
