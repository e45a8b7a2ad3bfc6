// What may still change: COMPATIBILITY.md, section 9.
const MAY_HAVE_IT = ["Operation", "Parameter", "Response"];

/** What may change in a minor version is marked as experimental, where the comparison and the reference look for the mark. */
export function Stability() {
  return {
    any: {
      enter(node, { type, report, location }) {
        const mark = node?.["x-stability"];
        if (mark === undefined) return;
        const at = location.child("x-stability").key();
        if (mark !== "experimental")
          report({ message: "x-stability is experimental, or left out: what has no mark is stable.", location: at });
        if (!MAY_HAVE_IT.includes(type.name))
          report({ message: "Only an operation, a parameter or a response is marked with x-stability.", location: at });
      },
    },
  };
}
