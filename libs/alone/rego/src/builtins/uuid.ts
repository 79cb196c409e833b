import type { Run } from '../evaluate/run.js';
import { fromBigInt } from '../values/decimal.js';
import { encode, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { stringOperand } from './operands.js';
import { deterministicBytes } from './random.js';
import type { BuiltinTable } from './types.js';

/** A version 4 UUID that depends on the evaluation's seed and on the key: the same key gives the same UUID in one evaluation. */
function rfc4122([key]: readonly Value[], run: Run): Value {
  const name = typeof key === 'string' ? key : `\0${encode(key as Value)}`;
  const bytes = deterministicBytes(run.seed, 'uuid.rfc4122', name).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function bytesOf(text: string): Buffer | undefined {
  let body = text;
  if (/^urn:uuid:/i.test(text)) body = text.slice(9);
  else if (/^\{.*\}$/.test(text)) body = text.slice(1, -1);
  if (!DASHED.test(body) && !(body === text && /^[0-9a-f]{32}$/i.test(body))) return undefined;
  return Buffer.from(body.replaceAll('-', ''), 'hex');
}

function variant(byte: number): string {
  if ((byte & 0x80) === 0) return 'Reserved';
  if ((byte & 0x40) === 0) return 'RFC4122';
  return (byte & 0x20) === 0 ? 'Microsoft' : 'Future';
}

const DOMAINS = ['Person', 'Group', 'Org'];
/** Number of 100-nanosecond intervals between the start of the Gregorian calendar and 1970. */
const GREGORIAN = 0x01b21dd213814000n;

/** Returns undefined for a text that is not a UUID, even if errors are strict. */
function parse(args: readonly Value[]): Value | undefined {
  const bytes = bytesOf(stringOperand(args, 1));
  if (bytes === undefined) return undefined;
  const version = (bytes[6] ?? 0) >> 4;
  const members: [Value, Value][] = [
    ['version', version],
    ['variant', variant(bytes[8] ?? 0)],
  ];
  if (version === 1 || version === 2) {
    const time =
      BigInt(bytes.readUInt32BE(0)) |
      (BigInt(bytes.readUInt16BE(4)) << 32n) |
      (BigInt(bytes.readUInt16BE(6) & 0x0fff) << 48n);
    const first = bytes[10] ?? 0;
    members.push(['time', fromBigInt((time - GREGORIAN) * 100n)]);
    members.push(['nodeid', [...bytes.subarray(10)].map((byte) => byte.toString(16).padStart(2, '0')).join('-')]);
    members.push([
      'macvariables',
      `${(first & 2) === 0 ? 'global' : 'local'}:${(first & 1) === 0 ? 'unicast' : 'multicast'}`,
    ]);
    members.push(['clocksequence', bytes.readUInt16BE(8) & 0x3fff]);
  }
  if (version === 2) {
    members.push(['id', bytes.readUInt32BE(0)]);
    members.push(['domain', DOMAINS[bytes[9] ?? 0] ?? `Domain${bytes[9] ?? 0}`]);
  }
  return new RegoObject(members);
}

export const uuidBuiltins: BuiltinTable = {
  'uuid.rfc4122': { arity: 1, call: rfc4122 },
  'uuid.parse': { arity: 1, call: parse },
};
