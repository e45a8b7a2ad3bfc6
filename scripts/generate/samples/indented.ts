/** Indents every line except the first. */
export const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
