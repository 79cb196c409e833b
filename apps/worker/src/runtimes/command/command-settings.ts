import type { Parser } from '@app/config';
import { isJsonObject } from '@app/kernel';

/** A runtime that the operator of a worker maps to a command. */
export interface CommandSettings {
  /** Runtime id. */
  readonly name: string;
  readonly command: string;
  /** `{{prompt}}`, `{{system_prompt}}` and `{{model}}` in them are replaced. */
  readonly args: readonly string[];
  /** Names of variables of the worker's environment that the command receives, beside those of all its processes. */
  readonly variables: readonly string[];
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,58}_code$/;
const KEYS = ['command', 'args', 'env'];

/**
 * Reads runtimes from the text of a JSON object, by their ids. The errors do not repeat values, because arguments may be
 * secrets.
 */
export const commandRuntimes: Parser<readonly CommandSettings[]> = (text) => {
  const mapping = parse(text);
  if (!isJsonObject(mapping)) throw new Error('expected a JSON object that maps runtime ids to commands');
  return Object.entries(mapping).map(([name, entry]) => {
    if (!NAME.test(name)) throw new Error(`expected runtime ids such as vendor_code, got "${name}"`);
    if (!isJsonObject(entry)) throw new Error(`expected an object for ${name}`);
    const { command, args = [], env = [], ...others } = entry;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`${name} has the unknown key ${unknown}; known: ${KEYS.join(', ')}`);
    if (typeof command !== 'string' || command === '') throw new Error(`${name} needs a command`);
    if (!isTexts(args)) throw new Error(`args of ${name} must be a list of texts`);
    if (!isTexts(env)) throw new Error(`env of ${name} must be a list of names of variables`);
    return { name, command, args, variables: env };
  });
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes('\0'));
}
