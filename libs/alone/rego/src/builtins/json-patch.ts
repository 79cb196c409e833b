import type { Run } from '../evaluate/run.js';
import { equal } from '../values/compare.js';
import { isArray, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { parsePath } from './json-paths.js';
import { arrayOperand } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

/**
 * Applies a patch (RFC 6902), also to sets. If an operation fails, returns undefined, even if errors are strict.
 */
function patch(args: readonly Value[], run: Run): Value | undefined {
  const operations = arrayOperand(args, 2);
  try {
    return operations.reduce<Value>((document, operation) => {
      if (!(operation instanceof RegoObject)) throw new BuiltinError('an operation is not an object');
      return apply(document, operation, run);
    }, args[0] as Value);
  } catch (error) {
    if (error instanceof BuiltinError) return undefined;
    throw error;
  }
}

function apply(document: Value, operation: RegoObject, run: Run): Value {
  const member = (name: string): Value => {
    const value = operation.get(name);
    if (value === undefined) throw new BuiltinError(`missing required attribute '${name}'`);
    return value;
  };
  const pathOf = (name: string): readonly Value[] => {
    const path = parsePath(member(name));
    if (path === undefined) throw new BuiltinError(`attribute '${name}' must be a string or an array`);
    return path;
  };
  const path = pathOf('path');
  switch (member('op')) {
    case 'add':
      return add(document, path, member('value'), run);
    case 'remove':
      return remove(document, path, run);
    case 'replace':
      return add(remove(document, path, run), path, member('value'), run);
    case 'move': {
      const from = pathOf('from');
      const value = read(document, from);
      if (from.length < path.length && from.every((step, at) => equal(step, path[at] as Value)))
        throw new BuiltinError('a value cannot be moved into itself');
      return add(remove(document, from, run), path, value, run);
    }
    case 'copy':
      return add(document, path, read(document, pathOf('from')), run);
    case 'test':
      if (!equal(read(document, path), member('value')))
        throw new BuiltinError('value from "test" operation does not match');
      return document;
    default:
      throw new BuiltinError(`unrecognized op`);
  }
}

/** Returns an index of an array. `-` means the position after its end, if this is allowed. */
function indexOf(items: readonly Value[], step: Value, end: boolean): number {
  if (step === '-' && end) return items.length;
  const valid =
    typeof step === 'number' ? Number.isInteger(step) : typeof step === 'string' && /^(?:0|[1-9]\d*)$/.test(step);
  const at = valid ? Number(step) : -1;
  if (at < 0 || at > items.length - (end ? 0 : 1)) throw new BuiltinError('array index is out of bounds');
  return at;
}

function read(document: Value, path: readonly Value[]): Value {
  return path.reduce<Value>((value, step) => {
    const found = isArray(value) ? value[indexOf(value, step, false)] : lookup(value, step);
    if (found === undefined) throw new BuiltinError('path does not exist');
    return found;
  }, document);
}

function add(document: Value, path: readonly Value[], value: Value, run: Run): Value {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  run.meter.work(size(document));
  run.meter.allocate(size(document) * 16);
  if (isArray(document)) {
    if (rest.length > 0)
      return document.with(
        indexOf(document, step, false),
        add(document[indexOf(document, step, false)] as Value, rest, value, run),
      );
    return document.toSpliced(indexOf(document, step, true), 0, value);
  }
  if (document instanceof RegoObject) {
    if (rest.length === 0) return new RegoObject([...document.entries(), [step, value]]);
    return new RegoObject([...document.entries(), [step, add(read(document, [step]), rest, value, run)]]);
  }
  if (document instanceof RegoSet) {
    if (rest.length === 0) {
      if (!equal(step, value)) throw new BuiltinError('a set has its values as keys');
      return new RegoSet([...document.unordered(), value]);
    }
    const member = read(document, [step]);
    return new RegoSet(
      [...document.unordered()].filter((item) => !equal(item, member)).concat([add(member, rest, value, run)]),
    );
  }
  throw new BuiltinError('path does not exist');
}

function remove(document: Value, path: readonly Value[], run: Run): Value {
  const [step, ...rest] = path;
  if (step === undefined) return null;
  run.meter.work(size(document));
  run.meter.allocate(size(document) * 16);
  if (isArray(document)) {
    const at = indexOf(document, step, false);
    return rest.length === 0 ? document.toSpliced(at, 1) : document.with(at, remove(document[at] as Value, rest, run));
  }
  const inner = read(document, [step]);
  if (document instanceof RegoObject) {
    const entries = document.entries().filter(([key]) => !equal(key, step));
    return new RegoObject(rest.length === 0 ? entries : [...entries, [step, remove(inner, rest, run)]]);
  }
  if (document instanceof RegoSet) {
    const others = [...document.unordered()].filter((item) => !equal(item, inner));
    return new RegoSet(rest.length === 0 ? others : [...others, remove(inner, rest, run)]);
  }
  throw new BuiltinError('path does not exist');
}

function size(value: Value): number {
  if (isArray(value)) return value.length;
  return value instanceof RegoObject || value instanceof RegoSet ? value.size : 1;
}

export const jsonPatchBuiltins: BuiltinTable = { 'json.patch': { arity: 2, call: patch } };
