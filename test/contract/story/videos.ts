import { readFile } from "node:fs/promises";
import { eventually } from "../../support/eventually.ts";
import { makeClip } from "../../support/media.ts";
import { finished, upload, uploadPath } from "../../support/videos.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

const NAMED = "?name=doors-rehung.mov";
const PATIENCE_MS = 240_000;

/** Yuki uploads a truncated video, Tomás uploads his in parts, and Mara's is processed. */
export async function videosExamples({ mara, tomas, yuki }: Users): Promise<ExampleAnswers> {
  // As many seconds as in the examples, for as many tiles of the sprite, but few pictures, so that it stays in the first lane.
  const recipe = { durationSeconds: 94.2, framesPerSecond: 0.6, width: 1920, height: 1080, container: "mov" } as const;
  const clip = await readFile(await makeClip(recipe));
  const cut = await upload(yuki, clip.subarray(0, clip.length / 2), NAMED);
  await finished(yuki, cut, PATIENCE_MS);
  const queued = await mara("POST", `/video-uploads${NAMED}`, clip);
  const path = uploadPath(queued.body);
  const processing = await eventually(
    "the video is being transcoded",
    async () => {
      const answer = await mara("GET", path);
      return answer.body.progress.stage === "transcoding" && answer;
    },
    PATIENCE_MS,
  );
  await finished(mara, queued.body, PATIENCE_MS);

  const begun = await tomas("POST", `/video-uploads${NAMED}`, clip.subarray(0, 1_000), { headers: { "Upload-Complete": "?0" } });
  const part = { "Content-Type": "application/partial-upload", "Upload-Offset": "1000", "Upload-Complete": "?1" };
  return {
    "createVideoUpload queued": queued,
    "updateUploadTransfer queued": await tomas("PATCH", begun.headers.get("location")!, clip.subarray(1_000, 2_000), {
      headers: part,
    }),
    "getVideoUpload processing": processing,
    "getVideoUpload succeeded": await mara("GET", path),
    "createPlayback an_hour": await mara("POST", `${path}/playback`, shownBody("createPlayback", "an_hour")),
    "getVideoUpload failed": await yuki("GET", uploadPath(cut)),
    "listVideoUploads failed": await yuki("GET", "/video-uploads?status=failed"),
  };
}
