/** The result of a check. A fault needs action; a warning may be intended. */
export type CheckResult = { readonly level: "good" | "warning" | "fault"; readonly sentence: string };
export type Finding = CheckResult & { readonly check: string };

/** Checks by name. Each changes nothing, and returns null if it doesn't apply. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => CheckResult | null | Promise<CheckResult | null>>>;

export const good = (sentence: string): CheckResult => ({ level: "good", sentence });
export const warning = (sentence: string): CheckResult => ({ level: "warning", sentence });
export const fault = (sentence: string): CheckResult => ({ level: "fault", sentence });

/** Runs the checks one after the other. A check that fails is a fault, because the service would fail there, too. */
export async function* findingsOf<Subject>(checks: Checks<Subject>, subject: Subject): AsyncGenerator<Finding> {
  for (const [check, run] of Object.entries(checks)) {
    const result = await Promise.try(run, subject).catch((error: unknown) => fault(capitalized(sentenceOf(error))));
    if (result !== null) yield { check, ...result };
  }
}

const capitalized = (text: string) => text.replace(/^[a-z]/, (first) => first.toUpperCase());

/** The message of an error as the end of a sentence. */
export function sentenceOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = (message || code || "unknown error").replaceAll(/\s+/g, " ").trim();
  return /[.:]$/.test(text) ? text : `${text}.`;
}

/** Removes the user and the password from URLs, which can be in error messages of libraries. */
export const withoutCredentials = (text: string) => text.replaceAll(/\/\/[^/@\s]+@/g, "//***@");
