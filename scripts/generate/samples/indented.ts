/** The text with every line but the first moved to the right, to stand where a line already begins. */
export const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
