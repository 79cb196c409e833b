import { isIPv4, isIPv6 } from 'node:net';
import type { Run } from '../evaluate/run.js';
import { isArray, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { stringOperand } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

/** A block of addresses; `bits` is 32 or 128. */
interface Block {
  readonly bits: number;
  readonly first: bigint;
  readonly prefix: number;
}

function parseAddress(text: string): { bits: number; value: bigint } | undefined {
  if (isIPv4(text)) return { bits: 32, value: fromIPv4(text) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  let source = text;
  const dotted = /[^:]+\.[^:]+$/.exec(text);
  if (dotted !== null) {
    const value = fromIPv4(dotted[0]);
    source = `${text.slice(0, dotted.index)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  }
  const [head = '', tail] = source.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0');
  return {
    bits: 128,
    value: [...left, ...middle, ...right].reduce((value, group) => (value << 16n) | BigInt(parseInt(group, 16)), 0n),
  };
}

function fromIPv4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function formatAddress(bits: number, value: bigint): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((by) => String((value >> by) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(112 - at * 16)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}

function mask(block: { bits: number; prefix: number }): bigint {
  return (1n << BigInt(block.bits - block.prefix)) - 1n;
}

/** Converts IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`), and blocks of them, to IPv4. */
function unmapped(block: Block): Block {
  const isMapped = block.bits === 128 && block.prefix >= 96 && block.first >> 32n === 0xffffn;
  return isMapped ? { bits: 32, first: block.first & 0xffffffffn, prefix: block.prefix - 96 } : block;
}

function parseBlock(text: string): Block {
  const block = readBlock(text);
  if (block === undefined) throw new BuiltinError(`invalid CIDR address: ${text}`);
  return block;
}

function readBlock(text: string): Block | undefined {
  const [address = '', prefixText, extra] = text.split('/');
  const parsed = parseAddress(address);
  const prefix = /^\d{1,3}$/.test(prefixText ?? '') ? Number(prefixText) : -1;
  if (parsed === undefined || extra !== undefined || prefix < 0 || prefix > parsed.bits) return undefined;
  const low = mask({ bits: parsed.bits, prefix });
  return unmapped({ bits: parsed.bits, first: parsed.value & ~low, prefix });
}

function last(block: Block): bigint {
  return block.first | mask(block);
}

function blockOrAddress(text: string): Block {
  const address = parseAddress(text);
  const block = address === undefined ? readBlock(text) : undefined;
  if (block !== undefined) return block;
  if (address === undefined)
    throw new BuiltinError(`not a valid textual representation of an IP address or CIDR: ${text}`);
  return unmapped({ bits: address.bits, first: address.value, prefix: address.bits });
}

function contains(outer: Block, inner: Block): boolean {
  return outer.bits === inner.bits && outer.first <= inner.first && last(outer) >= last(inner);
}

function intersects(a: Block, b: Block): boolean {
  return a.bits === b.bits && a.first <= last(b) && b.first <= last(a);
}

/** Reads a text. Error messages of these functions refer to every operand as operand 1. */
function textOf(value: Value): string {
  return stringOperand([value], 1);
}

/**
 * Returns the names and blocks of one side of `cidr_contains_matches`, which is a text, or a collection of texts and of
 * arrays that begin with a text.
 */
function sides(value: Value, position: number): (readonly [name: Value, block: Value])[] {
  if (typeof value === 'string') return [[value, value]];
  return membersOf(value).map(([name, item]) => {
    const text = isArray(item) ? item[0] : item;
    if (text === undefined || (!isArray(item) && typeof item !== 'string'))
      throw new BuiltinError(`operand ${position}: element must be string or non-empty array`);
    return [name, text];
  });
}

function membersOf(value: Value): readonly (readonly [Value, Value])[] {
  if (isArray(value)) return value.map((item, at) => [at, item] as const);
  if (value instanceof RegoSet) return value.items().map((item) => [item, item] as const);
  return value instanceof RegoObject ? value.entries() : [];
}

/**
 * An operand that is neither a text nor a collection has no blocks. If one side has no blocks, the other is not read.
 */
function containsMatches(args: readonly Value[], run: Run): Value {
  const outer = sides(args[0] as Value, 1);
  const inner = outer.length === 0 ? [] : sides(args[1] as Value, 2);
  if (inner.length === 0) return new RegoSet();
  const candidates = inner.map(([name, text]) => [name, blockOrAddress(textOf(text))] as const);
  const pairs: Value[] = [];
  for (const [outerName, text] of outer) {
    const block = parseBlock(textOf(text));
    run.meter.work(candidates.length);
    for (const [innerName, candidate] of candidates) {
      if (!contains(block, candidate)) continue;
      run.meter.allocate(96);
      pairs.push([outerName, innerName]);
    }
  }
  return new RegoSet(pairs);
}

function expand(args: readonly Value[], run: Run): Value {
  const block = parseBlock(stringOperand(args, 1));
  const count = last(block) - block.first + 1n;
  run.meter.allocate(count > 1n << 40n ? 2 ** 46 : Number(count) * 64);
  const addresses: string[] = [];
  for (let value = block.first; value <= last(block); value++) {
    run.meter.step();
    addresses.push(formatAddress(block.bits, value));
  }
  return new RegoSet(addresses);
}

/** A block with its original text, which is used if the block is not merged. */
interface Network extends Block {
  readonly text: string;
}

/**
 * Reads a block. As in the reference implementation, an IPv4 address without a prefix means the block of its class, and
 * an IPv6 address without a prefix is an error.
 */
function mergeOperand(value: Value): Network {
  if (typeof value !== 'string') throw new BuiltinError('element must be string');
  const address = parseAddress(value);
  if (address === undefined) return named(parseBlock(value));
  const { bits, first } = unmapped({ bits: address.bits, first: address.value, prefix: address.bits });
  if (bits === 128) throw new BuiltinError('IPv6 invalid: needs prefix length');
  const firstByte = Number(first >> 24n);
  const prefix = firstByte < 128 ? 8 : firstByte < 192 ? 16 : firstByte < 224 ? 24 : 32;
  const text = `${formatAddress(bits, first)}/${prefix}`;
  return { bits, prefix, first: first & ~mask({ bits, prefix }), text };
}

function named(block: Block): Network {
  return { ...block, text: `${formatAddress(block.bits, block.first)}/${block.prefix}` };
}

function merge([operand]: readonly Value[], run: Run): Value {
  const items = isArray(operand) ? operand : operand instanceof RegoSet ? operand.items() : undefined;
  if (items === undefined) throw new BuiltinError('operand must be an array');
  const networks = items.map(mergeOperand);
  run.meter.work(networks.length * 8);
  return new RegoSet([32, 128].flatMap((bits) => joined(networks.filter((network) => network.bits === bits))));
}

interface Span {
  readonly from: bigint;
  to: bigint;
  /** The original text of the block; undefined after another block was merged into this one. */
  text: string | undefined;
}

function joined(networks: readonly Network[]): string[] {
  const bits = networks[0]?.bits ?? 32;
  const sorted = networks.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const spans: Span[] = [];
  for (const network of sorted) {
    const previous = spans[spans.length - 1];
    const to = last(network);
    if (previous === undefined || network.first > previous.to + 1n)
      spans.push({ from: network.first, to, text: network.text });
    else {
      previous.text = undefined;
      previous.to = to > previous.to ? to : previous.to;
    }
  }
  return spans.flatMap(({ from, to, text }) => (text === undefined ? [...blocksOf(from, to, bits)] : [text]));
}

/** Yields the smallest number of blocks that cover a range. */
function* blocksOf(from: bigint, to: bigint, bits: number): Generator<string> {
  for (let at = from; at <= to;) {
    let size = 0;
    while (size < bits && (at & ((1n << BigInt(size + 1)) - 1n)) === 0n && at + (1n << BigInt(size + 1)) - 1n <= to)
      size++;
    yield `${formatAddress(bits, at)}/${bits - size}`;
    at += 1n << BigInt(size);
  }
}

function isValidBlock(text: Value): boolean {
  try {
    if (typeof text === 'string') parseBlock(text);
    return typeof text === 'string';
  } catch {
    return false;
  }
}

export const networkBuiltins: BuiltinTable = {
  'net.cidr_contains': {
    arity: 2,
    call: ([outer, inner]) => contains(parseBlock(textOf(outer as Value)), blockOrAddress(textOf(inner as Value))),
  },
  'net.cidr_intersects': {
    arity: 2,
    call: ([a, b]) => intersects(parseBlock(textOf(a as Value)), parseBlock(textOf(b as Value))),
  },
  'net.cidr_overlap': {
    arity: 2,
    call: ([outer, inner]) => contains(parseBlock(textOf(outer as Value)), blockOrAddress(textOf(inner as Value))),
  },
  'net.cidr_contains_matches': { arity: 2, call: containsMatches },
  'net.cidr_expand': { arity: 1, call: expand },
  'net.cidr_merge': { arity: 1, call: merge },
  'net.cidr_is_valid': { arity: 1, call: ([text]) => isValidBlock(text as Value) },
};
