/** The result of a check. A fault needs action; a warning may be intended. */
export type Verdict = { readonly level: "good" | "warning" | "fault"; readonly sentence: string };
export type Finding = Verdict & { readonly check: string };

/** Checks by name. Each checks one part, changes nothing, and returns null if the part is not in use. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => Verdict | null | Promise<Verdict | null>>>;

export const good = (sentence: string): Verdict => ({ level: "good", sentence });
export const warning = (sentence: string): Verdict => ({ level: "warning", sentence });
export const fault = (sentence: string): Verdict => ({ level: "fault", sentence });

/** Runs the checks one after the other. A check that fails is a fault, because the service would fail there, too. */
export async function* findingsOf<Subject>(checks: Checks<Subject>, subject: Subject): AsyncGenerator<Finding> {
  for (const [check, run] of Object.entries(checks)) {
    const verdict = await Promise.try(run, subject).catch((error: unknown) => fault(capitalized(sentenceOf(error))));
    if (verdict !== null) yield { check, ...verdict };
  }
}

const capitalized = (text: string) => text.replace(/^[a-z]/, (first) => first.toUpperCase());

/** The message of an error as the end of a sentence. */
export function sentenceOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = (message || code || "unknown error").replaceAll(/\s+/g, " ").trim();
  return /[.:]$/.test(text) ? text : `${text}.`;
}

/** Without the user and the password of URLs, which an error of a library can contain. */
export const withoutCredentials = (text: string) => text.replaceAll(/\/\/[^/@\s]+@/g, "//***@");
