import { statfs } from "node:fs/promises";
import { Gauge, type Registry } from "prom-client";

/** Shows the disk of `DATA_DIR`. `minFreeBytes` is what uploads leave free. */
export function watchDisk(registry: Registry, dataDir: string, minFreeBytes: number): void {
  const registers = [registry];
  const size = new Gauge({ name: "plumbline_disk_size_bytes", help: "The size of the disk of DATA_DIR.", registers });
  new Gauge({
    name: "plumbline_disk_free_bytes",
    help: "The space on the disk of DATA_DIR that the service can use.",
    registers,
    async collect() {
      try {
        const { bavail, blocks, bsize } = await statfs(dataDir);
        this.set(bavail * bsize);
        size.set(blocks * bsize);
      } catch {
        // The first start has not created it yet, or the disk is away.
        this.remove();
        size.remove();
      }
    },
  });
  new Gauge({
    name: "plumbline_disk_min_free_bytes",
    help: "The space on this disk that uploads leave free; 0 if they are stored in a bucket.",
    registers,
  }).set(minFreeBytes);
}
