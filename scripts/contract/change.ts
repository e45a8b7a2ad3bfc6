import type { Impact } from "./versions.ts";

/** A change in words: `subject` is what has changed, and `what` completes the sentence. */
export type Change = { readonly impact: Impact; readonly subject: string; readonly what: string };
