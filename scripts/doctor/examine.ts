import { styleText } from "node:util";
import { describeMisspelt, readConfig, type Config } from "../../src/config.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { clusterChecks } from "./cluster.ts";
import { contentChecks } from "./content.ts";
import { databaseChecks, openSubject } from "./database.ts";
import { fault, findingsOf, good, withoutCredentials, type Finding } from "./finding.ts";
import { keyChecks } from "./keys.ts";
import { machineChecks } from "./machine.ts";
import { settingsChecks } from "./settings.ts";
import { endpointChecks, webhookChecks } from "./webhooks.ts";

async function* examine(environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    yield { check: "settings", ...fault(error.message) };
    return;
  }
  const misspelt = describeMisspelt(environment);
  yield { check: "settings", ...(misspelt.length === 0 ? good("All settings are valid.") : fault(misspelt.join(" "))) };
  for (const checks of [settingsChecks, machineChecks, keyChecks, webhookChecks]) yield* findingsOf(checks, config);
  await using stack = new AsyncDisposableStack();
  try {
    const subject = await openSubject(config, stack);
    yield* findingsOf(databaseChecks, subject);
    yield* findingsOf(clusterChecks, subject);
    yield* findingsOf(contentChecks, subject);
    yield* findingsOf(endpointChecks, subject);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    yield { check: "database", ...fault(error.message) };
  }
}

const LABELS = {
  good: styleText("green", "good   "),
  warning: styleText("yellow", "warning"),
  fault: styleText("red", "fault  "),
};

/** Prints a sentence for each check, or a line of JSON if stdout is not a terminal. Returns the exit code, which is 1 if there is a fault. */
export async function printFindings({ json }: { readonly json: boolean }): Promise<number> {
  const isJson = json || !process.stdout.isTTY;
  const counts = { good: 0, warning: 0, fault: 0 };
  for await (const { check, level, sentence: rawSentence } of examine(process.env)) {
    counts[level]++;
    const sentence = withoutCredentials(rawSentence);
    if (isJson) console.log(JSON.stringify({ check, level, sentence }));
    else console.log(`${LABELS[level]}  ${styleText("dim", check.replaceAll("_", " "))}\n         ${sentence}`);
  }
  if (!isJson) console.log(`\n${counts.good} good, ${counts.warning} warnings, ${counts.fault} faults.`);
  return counts.fault > 0 ? 1 : 0;
}
