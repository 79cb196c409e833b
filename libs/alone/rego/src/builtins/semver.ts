import type { Value } from '../values/value.js';
import { stringOperand } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

/** Numbers can have leading zeros and a sign. A version can begin with `v`. */
const VERSION = /^v?([+-]?\d+)\.([+-]?\d+)\.([+-]?\d+)$/;
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;
const MOST = 2n ** 63n;

interface Version {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

function cut(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function parse(text: string): Version | undefined {
  if (text.length > 1024) return undefined;
  const [version, metadata] = cut(text, '+');
  const [core, prerelease] = cut(version, '-');
  const match = VERSION.exec(core);
  if (match === null || [metadata, prerelease].some((part) => part !== '' && !IDENTIFIERS.test(part))) return undefined;
  const numbers = match.slice(1).map((part) => BigInt(part.replace('+', '')));
  if (numbers.some((number) => number >= MOST || number < -MOST)) return undefined;
  return { numbers, prerelease: prerelease === '' ? [] : prerelease.split('.') };
}

function compareParts(a: string, b: string): number {
  const numeric = [a, b].map((part) => /^\d+$/.test(part));
  if (numeric[0] === true && numeric[1] === true) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareVersions(a: Version, b: Version): number {
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  for (const [at, part] of a.prerelease.entries()) {
    const other = b.prerelease[at];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

function version(args: readonly Value[], position: number): Version {
  const text = stringOperand(args, position);
  const parsed = parse(text);
  if (parsed === undefined)
    throw new BuiltinError(`operand ${position}: string ${JSON.stringify(text)} is not a valid SemVer`);
  return parsed;
}

export const semverBuiltins: BuiltinTable = {
  'semver.compare': { arity: 2, call: (args) => compareVersions(version(args, 1), version(args, 2)) },
  'semver.is_valid': { arity: 1, call: ([text]) => typeof text === 'string' && parse(text) !== undefined },
};
