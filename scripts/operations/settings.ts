import { describeMisspelt, readConfig, readSettings, type Config, type SettingName } from "../../src/config.ts";

/** The settings for a command. Warns on stderr about variables that look like misspelt settings. */
export const configOfCommand = (): Config => warned(readConfig(process.env));

/** Reads only these settings, for a command that works without the others. */
export const settingsOfCommand = <Name extends SettingName>(names: readonly Name[]): Pick<Config, Name> =>
  warned(readSettings(process.env, names));

function warned<Settings>(settings: Settings): Settings {
  for (const sentence of describeMisspelt(process.env)) console.error(sentence);
  return settings;
}
