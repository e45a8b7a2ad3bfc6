import type { Impact } from "./versions.ts";

/** A change as text: `subject` is the changed part, and `what` completes the sentence. */
export type Change = { readonly impact: Impact; readonly subject: string; readonly what: string };
