import { FAULT_TYPES, invalid, MAX_FAULTS, withoutUndefined, type Fault, type FaultType } from '@app/kernel';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { aliasesOf, isDict, ITEM_PREFIX, itemLimitsOf } from './field.js';
import { foundFaults } from './found-faults.js';
import { openObjectsOf } from './open-object.js';
import { wholeFaults } from './whole-check.js';

export type WirePlace = 'body' | 'query';

/**
 * Turns what came over the wire into an instance of a request class, or throws with every fault at once, those included
 * that were found in the request before (see withFoundFaults). Fields the
 * class does not declare are left out; fields that were not sent stay absent.
 */
export function parseWire<T extends object>(shape: new () => T, received: unknown, place: WirePlace): T {
  const source = received ?? {};
  const found = foundFaults(received);
  if (typeof source !== 'object' || Array.isArray(source)) {
    throw invalid([...found, { loc: [place], msg: 'Input should be a valid object', type: 'dict_type' }]);
  }
  const { parsed, faults } = examine(shape, source, [place]);
  const all = [...found, ...faults, ...(place === 'query' ? nulFaults(parsed) : []), ...wholeFaults(shape, parsed)];
  if (all.length > 0) throw invalid(all);
  return withoutUndefined(parsed) as T;
}

/** Bodies are searched for NUL as a whole (see parseJsonBody); of a query only the fields that are used matter. */
function nulFaults(query: object): Fault[] {
  return Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'string' && value.includes('\u0000')
      ? [{ loc: ['query', name], msg: 'String should not contain NUL', type: 'value_error' as const }]
      : [],
  );
}

function examine<T extends object>(shape: new () => T, source: object, path: readonly string[]): Examined<T> {
  const tooLong = lengthFaults(shape, source, path);
  if (tooLong.length > 0) throw invalid(tooLong);
  const parsed = plainToInstance(shape, source, { excludeExtraneousValues: true, exposeUnsetFields: false });
  const errors = validateSync(parsed, { forbidUnknownValues: false });
  const nameOf = sentNames(shape, source);
  const own = errors.flatMap((error) => faultsOf(error, [...path, nameOf(error.property)]));
  return { parsed, faults: [...own, ...openObjectFaults(shape, parsed, path)] };
}

/** Instances are costly to make: lists of too many are refused before that, alone. */
function lengthFaults(shape: new () => object, source: object, path: readonly string[]): Fault[] {
  return Object.entries(itemLimitsOf(shape.prototype as object)).flatMap(([name, limit]) => {
    const value = (source as Record<string, unknown>)[name];
    const msg = `List should have at most ${limit} items`;
    return Array.isArray(value) && value.length > limit
      ? [{ loc: [...path, name], msg, type: 'too_long' as const }]
      : [];
  });
}

interface Examined<T> {
  readonly parsed: T;
  readonly faults: readonly Fault[];
}

/** What is wrong with the known keys of open objects, whose values are as they came. */
function openObjectFaults(shape: new () => object, parsed: object, path: readonly string[]): Fault[] {
  return Object.entries(openObjectsOf(shape.prototype as object)).flatMap(([name, known]) => {
    const value = (parsed as Record<string, unknown>)[name];
    return isDict.passes(value) ? examine(known, value as object, [...path, name]).faults : [];
  });
}

/** The name under which a field was sent: a fault of a value that came under a field's other name is told of that one. */
function sentNames(shape: new () => object, source: object): (field: string) => string {
  const aliases = aliasesOf(shape.prototype as object);
  const sent = source as Record<string, unknown>;
  return (field) => {
    const alias = aliases[field];
    return alias !== undefined && sent[field] == null && sent[alias] != null ? alias : field;
  };
}

function faultsOf(error: ValidationError, loc: readonly string[]): Fault[] {
  const checks = Object.entries(error.constraints ?? {}).filter(([check]) => check !== NESTED_CHECK);
  const own = checks.flatMap(([check, msg]) => ownFaults(error.value, loc, check, msg));
  const wrongItems = new Set(own.filter((fault) => fault.loc.length > loc.length).map((fault) => fault.loc.at(-1)));
  const children = (error.children ?? []).filter((child) => !wrongItems.has(child.property));
  return [...own, ...children.flatMap((child) => faultsOf(child, [...loc, child.property]))];
}

/** The validator's own word for what is no object, which each nested field's own checks have said already. */
const NESTED_CHECK = 'nestedValidation';

function ownFaults(value: unknown, loc: readonly string[], check: string, msg: string): Fault[] {
  const type = FAULT_TYPES.find((candidate) => candidate === check.replace(ITEM_PREFIX, '')) ?? 'value_error';
  const isWrong = WRONG_ITEM[type];
  if (!check.startsWith(ITEM_PREFIX) || !Array.isArray(value) || isWrong === undefined) return [{ loc, msg, type }];
  return wrongItemsOf(value, isWrong).map((index) => ({ loc: [...loc, String(index)], msg, type }));
}

/** No more of them than are told: a body has room for half a million. */
function wrongItemsOf(list: readonly unknown[], isWrong: (item: unknown) => boolean): number[] {
  const wrong: number[] = [];
  for (let index = 0; index < list.length && wrong.length < MAX_FAULTS; index += 1) {
    if (isWrong(list[index])) wrong.push(index);
  }
  return wrong;
}

const WRONG_ITEM: Partial<Record<FaultType, (item: unknown) => boolean>> = {
  string_type: (item) => typeof item !== 'string',
  dict_type: (item) => !isDict.passes(item),
};
