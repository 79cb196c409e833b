import { isIPv4, isIPv6 } from 'node:net';
import type { Run } from '../evaluate/run.js';
import { isArray, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { itemsOperand, operandError, stringOperand } from './operands.js';
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

/** An IPv4 address that is written as one of IPv6 (`::ffff:10.0.0.1`) is that IPv4 address, and so are blocks of them. */
function unmapped(block: Block): Block {
  const isMapped = block.bits === 128 && block.prefix >= 96 && block.first >> 32n === 0xffffn;
  return isMapped ? { bits: 32, first: block.first & 0xffffffffn, prefix: block.prefix - 96 } : block;
}

function parseBlock(text: string): Block {
  const [address = '', prefixText, extra] = text.split('/');
  const parsed = parseAddress(address);
  const prefix = /^\d{1,3}$/.test(prefixText ?? '') ? Number(prefixText) : -1;
  if (parsed === undefined || extra !== undefined || prefix < 0 || prefix > parsed.bits)
    throw new BuiltinError(`invalid CIDR address: ${text}`);
  const low = mask({ bits: parsed.bits, prefix });
  return unmapped({ bits: parsed.bits, first: parsed.value & ~low, prefix });
}

function last(block: Block): bigint {
  return block.first | mask(block);
}

function blockOrAddress(text: string): Block {
  if (text.includes('/')) return parseBlock(text);
  const address = parseAddress(text);
  if (address === undefined) throw new BuiltinError(`invalid textual representation for IP address: ${text}`);
  return unmapped({ bits: address.bits, first: address.value, prefix: address.bits });
}

function contains(outer: Block, inner: Block): boolean {
  return outer.bits === inner.bits && outer.first <= inner.first && last(outer) >= last(inner);
}

function intersects(a: Block, b: Block): boolean {
  return a.bits === b.bits && a.first <= last(b) && b.first <= last(a);
}

/** Names and blocks of one side of `cidr_contains_matches`: a text, or a collection of texts and of arrays that begin with one. */
function sides(value: Value, position: number, parse: (text: string) => Block): [Value, Block][] {
  const blockOf = (item: Value): Block => {
    const text = isArray(item) ? item[0] : item;
    if (typeof text !== 'string') throw operandError(position, 'string or array whose first element is a string', item);
    return parse(text);
  };
  if (typeof value === 'string') return [[value, blockOf(value)]];
  if (isArray(value)) return value.map((item, at) => [at, blockOf(item)]);
  if (value instanceof RegoSet) return value.items().map((item) => [item, blockOf(item)]);
  if (value instanceof RegoObject) return value.entries().map(([key, item]) => [key, blockOf(item)]);
  throw operandError(position, 'one of {string, array, object, set}', value);
}

function containsMatches(args: readonly Value[], run: Run): Value {
  const outer = sides(args[0] as Value, 1, parseBlock);
  const inner = sides(args[1] as Value, 2, blockOrAddress);
  const pairs: Value[] = [];
  for (const [outerName, block] of outer) {
    run.meter.work(inner.length);
    for (const [innerName, candidate] of inner) {
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

/** A bare IPv4 address stands for the block of its class, as the reference implementation has it; a bare IPv6 address is an error. */
function mergeOperand(text: string): Block {
  if (text.includes('/')) return parseBlock(text);
  const address = parseAddress(text);
  if (address === undefined) throw new BuiltinError(`invalid CIDR address: ${text}`);
  if (address.bits === 128) throw new BuiltinError('IPv6 invalid: needs prefix length');
  const firstByte = Number(address.value >> 24n);
  const prefix = firstByte < 128 ? 8 : firstByte < 192 ? 16 : firstByte < 224 ? 24 : 32;
  const block = { bits: 32, prefix };
  return { ...block, first: address.value & ~mask(block) };
}

function merge(args: readonly Value[], run: Run): Value {
  const blocks = itemsOperand(args, 1).map((item) => {
    if (typeof item !== 'string') throw operandError(1, 'array of strings', item);
    return mergeOperand(item);
  });
  run.meter.work(blocks.length * 8);
  const merged: Value[] = [];
  for (const bits of [32, 128]) {
    const ranges = blocks
      .filter((block) => block.bits === bits)
      .map((block): [bigint, bigint] => [block.first, last(block)]);
    ranges.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    const joined: [bigint, bigint][] = [];
    for (const range of ranges) {
      const previous = joined[joined.length - 1];
      if (previous !== undefined && range[0] <= previous[1] + 1n)
        previous[1] = range[1] > previous[1] ? range[1] : previous[1];
      else joined.push([range[0], range[1]]);
    }
    for (const [from, to] of joined) for (const text of blocksOf(from, to, bits)) merged.push(text);
  }
  return new RegoSet(merged);
}

/** The fewest blocks that make up a range. */
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
    call: (args) => contains(parseBlock(stringOperand(args, 1)), blockOrAddress(stringOperand(args, 2))),
  },
  'net.cidr_intersects': {
    arity: 2,
    call: (args) => intersects(parseBlock(stringOperand(args, 1)), parseBlock(stringOperand(args, 2))),
  },
  'net.cidr_overlap': {
    arity: 2,
    call: (args) => contains(parseBlock(stringOperand(args, 1)), blockOrAddress(stringOperand(args, 2))),
  },
  'net.cidr_contains_matches': { arity: 2, call: containsMatches },
  'net.cidr_expand': { arity: 1, call: expand },
  'net.cidr_merge': { arity: 1, call: merge },
  'net.cidr_is_valid': { arity: 1, call: ([text]) => isValidBlock(text as Value) },
};
