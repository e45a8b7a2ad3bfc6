import type { Transfer, TransferLimits } from "./transfer.ts";

/** The value of `Upload-Limit`. */
export const toUploadLimit = ({ maxBytes, minAppendBytes, maxAgeSeconds }: TransferLimits): string =>
  `max-size=${maxBytes}, min-append-size=${minAppendBytes}, max-age=${maxAgeSeconds}`;

export const toTransferHeaders = ({ offsetBytes, accepted }: Transfer, limits: TransferLimits) =>
  ({
    "Upload-Offset": offsetBytes,
    "Upload-Complete": accepted === null ? "?0" : "?1",
    "Upload-Limit": toUploadLimit(limits),
  }) as const;
