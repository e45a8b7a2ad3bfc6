import { audit } from "./audit.ts";
import { checkAll, COUNTS } from "./counts.ts";
import type { Work } from "./parts.ts";

/** Compares all counts with the rows, prints how many are wrong, and optionally corrects them. The exit code is 2 if one stays wrong. */
export const recount =
  ({ corrects, json }: { readonly corrects: boolean; readonly json: boolean }): Work =>
  async ({ db, config }) => {
    for (const count of COUNTS) {
      const { checked, wrong } = await checkAll(db, count, { corrects });
      if (corrects && wrong > 0) await audit({ db, config }, "counts.correct", { count: count.name, corrected: wrong });
      if (!corrects && wrong > 0) process.exitCode = 2;
      if (json) console.log(JSON.stringify({ count: count.name, checked, wrong, corrected: corrects ? wrong : 0 }));
      else
        console.log(
          `${count.name}: ${wrong} of ${checked} ${count.of} ${corrects ? "were wrong, and are corrected" : "are wrong"}.`,
        );
    }
  };
