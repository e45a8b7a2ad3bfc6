// Experimental parts: COMPATIBILITY.md, section 9.
const MAY_HAVE_IT = ["Operation", "Parameter", "Response"];

/** `x-stability: experimental` is allowed only where the comparison and the reference look for it. */
export function Stability() {
  return {
    any: {
      enter(node, { type, report, location }) {
        const mark = node?.["x-stability"];
        if (mark === undefined) return;
        const at = location.child("x-stability").key();
        if (mark !== "experimental")
          report({ message: "x-stability must be experimental. Leave it out for anything stable.", location: at });
        if (!MAY_HAVE_IT.includes(type.name))
          report({ message: "Only an operation, a parameter or a response can have x-stability.", location: at });
      },
    },
  };
}
