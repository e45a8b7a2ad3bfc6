// The page that plays videos by links. The token stays in `token`: neither a link nor the address of the page has it.

const find = (id) => document.getElementById(id);
const video = document.querySelector("video");
/** Its cues are the tiles of the sprite. */
const track = document.querySelector("track");
const slider = document.querySelector("#seek input");
/** @param {string} path below the URL of the service, which can have a prefix */
const at = (path) => new URL(`../${path}`, location.href);

let token = null;
let jobId = null;
let playback = null;
let expiryTimer;

const say = (text, kind = "running") => {
  find("state").textContent = text;
  find("state").dataset.kind = kind;
};

/** Asks the service with the token. Throws an error with the detail of a problem. */
async function ask(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) };
  const response = await fetch(at(path), { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

async function showVideos() {
  const { data } = await ask("GET", "video-uploads?status=succeeded&limit=50");
  find("videos").replaceChildren(...data.map(itemOf));
  say(data.length === 0 ? "You have no videos that can be played yet." : "Choose a video.");
}

function itemOf({ id, name, result }) {
  const [item, button, facts] = ["li", "button", "span"].map((it) => document.createElement(it));
  const seconds = Math.round(result.duration_ms / 1000);
  button.textContent = name ?? "A video without a name";
  button.addEventListener("click", () => attempt(() => choose(id)));
  facts.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}, ${result.width} × ${result.height}`;
  item.append(button, facts);
  return item;
}

async function choose(id) {
  jobId = id;
  load(await newLinks(), 0, true);
}

const newLinks = () => ask("POST", `video-uploads/${jobId}/playback`, { expires_in_seconds: Number(find("seconds").value) });

/** Plays by these links, from a time of the video on. */
function load(links, seconds, isPlaying) {
  playback = links;
  const { poster, sprite, renditions, expires_at } = links;
  const chosen = renditions.find((it) => it.name === find("quality").value) ?? renditions.at(-1);
  find("quality").replaceChildren(...renditions.map(({ name }) => new Option(name, name, false, name === chosen.name)));
  find("share").href = `#${encodeURIComponent(JSON.stringify(links))}`;
  find("player").hidden = false;
  video.poster = own(poster.href);
  showTiles(sprite);
  video.src = own(chosen.href);
  video.currentTime = seconds;
  if (isPlaying) video.play().catch(() => undefined);
  clearTimeout(expiryTimer);
  expiryTimer = setTimeout(() => attempt(judge), Date.parse(expires_at) - Date.now() + 500);
  say(`The links work until ${new Date(expires_at).toLocaleTimeString()}.`);
}

/** Loads the tiles of a sprite. A video of an earlier version has none. */
function showTiles(sprite) {
  find("seek").hidden = !sprite;
  if (!sprite) return track.removeAttribute("src");
  track.src = own(sprite.webvtt.href);
  track.track.mode = "hidden";
}

/** Shows the tile for a time above the slider. */
function preview(seconds) {
  const cue = [...(track.track.cues ?? [])].find((it) => it.startTime <= seconds && seconds < it.endTime);
  const tile = find("tile");
  tile.hidden = !cue;
  if (!cue) return;
  const image = new URL(cue.text, track.src);
  const [x, y, width, height] = image.hash.slice("#xywh=".length).split(",").map(Number);
  tile.style.width = `${width}px`;
  tile.style.height = `${height}px`;
  tile.style.left = `${(seconds / slider.max) * (slider.clientWidth - width)}px`;
  tile.style.background = `url("${own(image)}") -${x}px -${y}px`;
}

/** Links in the address of the page can come from anywhere, so they must lead to this service. */
function own(href) {
  const url = new URL(href, location.href);
  if (url.origin !== location.origin) throw new Error("This link leads to another service.");
  return url.href;
}

/** What the service says about the link that is being played: null, or the code of a problem. */
async function problemOf(href) {
  const response = await fetch(href, { headers: { Range: "bytes=0-0" }, cache: "no-store" });
  return response.ok ? null : (await response.json()).code;
}

const ENDS = {
  link_expired: "The link has expired. Ask for a new one where you got it.",
  invalid_link: "The link is not valid.",
  not_found: "The video was deleted.",
};

/** After an error of the player, and at the expiry: continues with new links if there is a token, and stops otherwise. */
async function judge() {
  if (!video.currentSrc) return;
  const code = await problemOf(video.currentSrc);
  if (code === "link_expired" && token !== null) await renew();
  else if (code !== null) stop(ENDS[code] ?? `The service refuses the link: ${code}.`);
  else if (video.error !== null) stop(`The video can't be played: ${video.error.message}`);
}

async function renew() {
  const { currentTime, paused, ended } = video;
  load(await newLinks(), currentTime, !paused && !ended);
  say(
    `New links since ${new Date().toLocaleTimeString()}. They work until ${new Date(playback.expires_at).toLocaleTimeString()}.`,
  );
}

function stop(text) {
  clearTimeout(expiryTimer);
  video.removeAttribute("src");
  video.load();
  say(text, "stopped");
}

/** Runs a step of the page, and shows why it failed. */
async function attempt(step) {
  await Promise.resolve()
    .then(step)
    .catch((error) => say(error.message, "stopped"));
}

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = find("token").value.trim();
  attempt(showVideos);
});
find("renew").addEventListener("click", () => attempt(renew));
find("quality").addEventListener("change", () => load(playback, video.currentTime, !video.paused));
video.addEventListener("durationchange", () => (slider.max = video.duration || 0));
video.addEventListener("timeupdate", () => slider.matches(":active") || (slider.value = video.currentTime));
slider.addEventListener("input", () => preview(slider.valueAsNumber));
slider.addEventListener("change", () => (video.currentTime = slider.valueAsNumber));
slider.addEventListener("pointermove", ({ offsetX, buttons }) => buttons || preview((offsetX / slider.clientWidth) * slider.max));
for (const end of ["pointerleave", "blur"]) slider.addEventListener(end, () => (find("tile").hidden = true));
video.addEventListener("error", () => video.hasAttribute("src") && attempt(judge));

/** A tab that got links from another one has no token. */
if (location.hash.length > 1) {
  for (const id of ["ask", "renew", "share"]) find(id).hidden = true;
  find("about").textContent = "Plays a video by a link that somebody gave you. It needs no token, and works for a limited time.";
  attempt(() => load(JSON.parse(decodeURIComponent(location.hash.slice(1))), 0, false));
}
