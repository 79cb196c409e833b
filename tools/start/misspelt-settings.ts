import leven from 'leven';
import { settingNames } from './check-settings.js';

/** Shorter names differ from too many other names by only two letters. */
const MIN_LENGTH = 8;
const MAX_DISTANCE = 2;
/** Set by tests, tools and npm; not settings of the platform. */
const OTHER_KNOWN: ReadonlySet<string> = new Set(['NODE_ENV', 'NODE_OPTIONS', 'TZ']);

/**
 * Returns a warning for each name in `.env` that is not a setting, and for each variable of the environment whose name
 * differs from that of a setting by one or two letters.
 */
export function misspeltSettingWarnings(dotEnvNames: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const known = settingNames();
  const isKnown = (name: string): boolean => known.includes(name) || OTHER_KNOWN.has(name);
  const inFile = dotEnvNames.filter((name) => !isKnown(name));
  const inEnvironment = Object.keys(env).filter(
    (name) => !isKnown(name) && !inFile.includes(name) && closest(name, known) !== undefined,
  );
  return [
    ...inFile.map((name) => `.env sets ${name}, which is not a setting${suggestion(name, known)}`),
    ...inEnvironment.map((name) => `${name} is set, which is not a setting${suggestion(name, known)}`),
  ];
}

function suggestion(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return meant === undefined ? '; all settings are in .env.example' : `; did you mean ${meant}?`;
}

function closest(name: string, known: readonly string[]): string | undefined {
  if (name.length < MIN_LENGTH) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= MAX_DISTANCE ? best.candidate : undefined;
}
