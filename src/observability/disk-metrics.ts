import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import type { Registry } from "prom-client";
import { gauge } from "./instruments.ts";

/** Adds metrics of the disk of `DATA_DIR`. `minFreeBytes` is the space that uploads leave free. */
export function watchDisk(registry: Registry, dataDir: string, minFreeBytes: number): void {
  const show = (name: string, help: string, blocksOf: (disk: StatsFs) => number) =>
    gauge(registry, name, help, async (it) => {
      // The folder does not exist before the first start, and the disk can be unavailable.
      const disk = await statfs(dataDir).catch(() => null);
      if (disk === null) it.remove();
      else it.set(blocksOf(disk) * disk.bsize);
    });
  show("plumbline_disk_size_bytes", "The size of the disk of DATA_DIR.", (it) => it.blocks);
  show("plumbline_disk_free_bytes", "The space on the disk of DATA_DIR that the service can use.", (it) => it.bavail);
  const help = "The space on this disk that uploads leave free; 0 if they are stored in a bucket.";
  gauge(registry, "plumbline_disk_min_free_bytes", help, (it) => it.set(minFreeBytes));
}
