import { createApi } from "../domain/api.ts";
import { readSettings } from "../domain/settings.ts";
import { createPgStore } from "../domain/store-pg.ts";
import { createFastifyApp } from "./app.ts";

const settings = readSettings();
await createFastifyApp(createApi(createPgStore(settings), settings)).listen({ port: settings.port, host: "127.0.0.1" });
