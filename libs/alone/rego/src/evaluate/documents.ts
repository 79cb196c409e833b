import { compare, equal } from '../values/compare.js';
import { isArray, keyOf, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import type { Context, Override, RuleNode } from './context.js';
import { dynamicGrowth, grownEntries, Growth, grownValue, keyConflict, nodeValue } from './rules.js';
import type { Grown } from './rules.js';

/**
 * A position in `data` to which rules, base documents and replacements by `with` can contribute. Below the value of a
 * rule, or if there are no rules, the position is a plain value instead.
 */
export class Cursor {
  constructor(
    readonly node: RuleNode | undefined,
    readonly base: Value | undefined,
    readonly override: Override | undefined,
    readonly grown: readonly Grown[],
  ) {}
}
export type Position = Cursor | Value;

const NOTHING_GROWN: readonly Grown[] = [];

export function rootPosition(context: Context): Position {
  if (context.overrides?.value !== undefined) return context.overrides.value;
  return arrive(context, context.root, context.data, context.overrides, NOTHING_GROWN) as Position;
}

/** Returns a cursor, or a plain value if only the base document remains; undefined if there is nothing. */
function arrive(
  context: Context,
  node: RuleNode | undefined,
  base: Value | undefined,
  override: Override | undefined,
  grown: readonly Grown[],
): Position | undefined {
  const all = node !== undefined && node.dynamic.length > 0 ? [...grown, dynamicGrowth(context, node)] : grown;
  if (node === undefined && override === undefined && all.length === 0) return base;
  return new Cursor(node, base, override, all);
}

export function childPosition(context: Context, position: Position, key: Value): Position | undefined {
  if (!(position instanceof Cursor)) return lookup(position, key);
  const { node } = position;
  if (node?.kind === 'complete' || node?.kind === 'set') {
    const value = ownValue(context, position);
    return value === undefined ? undefined : lookup(value, key);
  }
  const id = keyOf(key);
  const override = position.override?.children.get(id)?.override;
  if (override?.value !== undefined) return override.value;
  const child = node?.children.get(id);
  const base = position.base === undefined || isRuled(node) ? undefined : lookup(position.base, key);
  const grown = position.grown.length === 0 ? NOTHING_GROWN : grownChildren(position.grown, key, id);
  if (grown.length === 1 && child === undefined && override === undefined && !(grown[0] instanceof Growth)) {
    return grownValue(grown[0] as Grown);
  }
  return arrive(context, child, base, override, grown);
}

function grownChildren(grown: readonly Grown[], key: Value, id: Key): readonly Grown[] {
  const children: Grown[] = [];
  for (const item of grown) {
    if (item instanceof Growth) {
      const entry = item.entries.get(id);
      if (entry !== undefined) children.push(entry.item);
    } else {
      const child = lookup(grownValue(item), key);
      if (child !== undefined) children.push(child);
    }
  }
  return children;
}

/** Returns the value of the rules at the node of the cursor, with the contributions of rules above it. */
function ownValue(context: Context, { node, grown }: Cursor): Value | undefined {
  const value = node === undefined ? undefined : nodeValue(context, node);
  return grown.reduce<Value | undefined>((known, item) => joinGrown(known, grownValue(item)), value);
}

function joinGrown(known: Value | undefined, added: Value): Value {
  if (known === undefined) return added;
  if (known instanceof RegoSet && added instanceof RegoSet)
    return new RegoSet([...known.unordered(), ...added.unordered()]);
  if (!equal(known, added)) throw keyConflict();
  return known;
}

/**
 * Returns the document at a position. `merged`: whether it combines rules and base document, in which case the base
 * document takes precedence.
 */
export function positionValue(context: Context, position: Position, merged = false): Value | undefined {
  if (!(position instanceof Cursor)) return position;
  const { node, base } = position;
  if (node?.kind === 'function') return base;
  const virtual = virtualValue(context, position);
  if (!merged && isRuled(node)) return virtual;
  if (!merged || base === undefined || position.override !== undefined) return virtual === undefined ? base : virtual;
  return virtual === undefined ? base : mergeDocuments(base, virtual);
}

function virtualValue(context: Context, cursor: Cursor): Value | undefined {
  const { node, grown } = cursor;
  if (node?.kind === 'complete' || node?.kind === 'set') return ownValue(context, cursor);
  const leaves = grown.filter((item) => !(item instanceof Growth));
  const below = node !== undefined || cursor.override !== undefined || grown.length > leaves.length;
  if (leaves.length > 0) {
    if (
      below &&
      positionKeys(context, new Cursor(node, undefined, cursor.override, grown)).length > 0 &&
      hasInner(grown, node)
    ) {
      throw keyConflict();
    }
    return leaves.reduce<Value | undefined>((known, item) => joinGrown(known, grownValue(item)), undefined);
  }
  if (!below) return undefined;
  return assemble(context, cursor);
}

function hasInner(grown: readonly Grown[], node: RuleNode | undefined): boolean {
  return grown.some((item) => item instanceof Growth) || (node !== undefined && node.children.size > 0);
}

function assemble(context: Context, cursor: Cursor): Value {
  const entries: [Value, Value][] = [];
  for (const key of positionKeys(context, cursor)) {
    context.run.meter.step();
    const child = childPosition(context, cursor, key);
    const value = child === undefined ? undefined : positionValue(context, child, true);
    if (value !== undefined) entries.push([key, value]);
  }
  context.run.meter.allocate(entries.length * 64);
  return new RegoObject(entries);
}

/** Returns the keys below a position, in order. The values of some can be undefined. */
export function positionKeys(context: Context, position: Position): readonly Value[] {
  if (!(position instanceof Cursor)) return valueKeys(position);
  const { node, base, override, grown } = position;
  if (node?.kind === 'complete' || node?.kind === 'set') {
    const value = ownValue(context, position);
    return value === undefined ? [] : valueKeys(value);
  }
  const keys = new Map<Key, Value>();
  if (base !== undefined && !isRuled(node)) for (const key of valueKeys(base)) keys.set(keyOf(key), key);
  const first = keys.size;
  for (const [id, child] of node?.children ?? []) if (child.kind !== 'function') keys.set(id, child.key);
  for (const [id, { key }] of override?.children ?? []) keys.set(id, key);
  for (const item of grown) {
    if (item instanceof Growth) for (const { key } of grownEntries(item)) keys.set(keyOf(key), key);
    else for (const key of valueKeys(grownValue(item))) keys.set(keyOf(key), key);
  }
  return inBaseOrder([...keys.values()], first);
}

/** Moves the keys of the base document to the beginning. */
function inBaseOrder(keys: readonly Value[], first: number): readonly Value[] {
  if (first === 0) return [...keys].sort(compare);
  return first === keys.length ? keys : [...keys.slice(0, first), ...keys.slice(first).sort(compare)];
}

/**
 * Returns whether rules define the document at the node itself, so that the members of a base document at this node are
 * ignored.
 */
function isRuled(node: RuleNode | undefined): boolean {
  return node !== undefined && (node.kind !== 'package' || node.dynamicKind !== undefined);
}

export function valueKeys(value: Value): readonly Value[] {
  if (value instanceof RegoObject) return value.keys();
  if (value instanceof RegoSet) return value.items();
  return isArray(value) ? value.map((_, index) => index) : [];
}

function mergeDocuments(base: Value, virtual: Value): Value {
  if (!(base instanceof RegoObject) || !(virtual instanceof RegoObject)) return base;
  const entries: [Value, Value][] = base.entries();
  for (const [key, value] of virtual.entries()) {
    const known = base.get(key);
    entries.push([key, known === undefined ? value : mergeDocuments(known, value)]);
  }
  return new RegoObject(entries);
}

/** Returns the document at a path. */
export function documentAt(context: Context, path: readonly Value[]): Value | undefined {
  let position: Position | undefined = rootPosition(context);
  let isBase = !(position instanceof Cursor);
  for (const key of path) {
    const above: Position = position;
    position = childPosition(context, above, key);
    if (above instanceof Cursor) isBase = above.node === undefined || above.node.kind === 'package';
    if (position === undefined && isBase) position = numberedMember(above, key);
    if (position === undefined) return undefined;
  }
  return positionValue(context, position);
}

/**
 * Paths into base documents consist of texts: a number matches the member with its text as the name, and a text of
 * digits matches an array item.
 */
function numberedMember(above: Position, key: Value): Value | undefined {
  const container = above instanceof Cursor ? above.base : above;
  if (typeof key === 'number') return container instanceof RegoObject ? container.get(String(key)) : undefined;
  return typeof key === 'string' && isArray(container) && /^\d+$/.test(key) ? container[Number(key)] : undefined;
}

/** Returns `overrides` with `value` at `path`. */
export function addOverride(overrides: Override | undefined, path: readonly Value[], value: Value, at = 0): Override {
  if (at === path.length) return { value, children: new Map() };
  const key = path[at] as Value;
  if (overrides?.value !== undefined) {
    const container = overrides.value instanceof RegoObject ? overrides.value.entries() : [];
    const inner = overrides.value instanceof RegoObject ? overrides.value.get(key) : undefined;
    const below = addOverride(
      inner === undefined ? undefined : { value: inner, children: new Map() },
      path,
      value,
      at + 1,
    );
    return { value: new RegoObject([...container, [key, overrideValue(below)]]), children: new Map() };
  }
  const children = new Map(overrides?.children);
  const id = keyOf(key);
  children.set(id, { key, override: addOverride(children.get(id)?.override, path, value, at + 1) });
  return { value: undefined, children };
}

function overrideValue(override: Override): Value {
  if (override.value !== undefined) return override.value;
  return new RegoObject(
    [...override.children.values()].map(({ key, override: inner }) => [key, overrideValue(inner)] as const),
  );
}
