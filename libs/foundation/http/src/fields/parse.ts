import { FAULT_TYPES, isJsonObject, MAX_FAULTS, withoutUndefined, type FaultType } from '@app/kernel';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { aliasesOf, isDict, ITEM_PREFIX, itemLimitsOf } from './field.js';
import { unknownFieldFaults } from './ignored-fields.js';
import { foundFaults } from './found-faults.js';
import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';
import { CLOSED, objectsIn, type RequestObject } from './nested-objects.js';
import { openObjectsOf } from './open-object.js';
import { separateListsOf, type Separate } from './separate-list.js';
import { objectRuleFaults } from './validate-object.js';
import { keepValidationPlans } from './validation-plans.js';

keepValidationPlans();

/**
 * Parses a received value into an instance of a request class. Throws `InvalidRequest` with every fault at once,
 * including those that were found in the request earlier (see withFoundFaults). Fields that the class does not declare
 * are omitted; fields that were not sent stay absent.
 */
export function parseWire<T extends object>(shape: new () => T, received: unknown, place: 'body' | 'query'): T {
  return parseAt(shape, received ?? {}, [place], foundFaults(received));
}

function parseAt<T extends object>(shape: new () => T, source: unknown, loc: Loc, found: readonly LocatedFault[]): T {
  if (!isJsonObject(source)) {
    throw new InvalidRequest([...found, { loc, msg: 'Input should be a valid object', type: 'dict_type' }]);
  }
  const { parsed, faults } = examine(shape, source, loc);
  // A list that is too long is rejected before any item is parsed.
  const { own, separate } =
    faults.length > 0 ? { own: found, separate: {} } : parseSeparately(shape, parsed, loc, found);
  const whole = { shape, loc, ...CLOSED } as const;
  const all = [
    ...own,
    ...(loc[0] === 'body' ? unknownFieldFaults({ ...whole, value: source }) : []),
    ...faults,
    ...(loc[0] === 'query' ? nulFaults(parsed) : []),
    ...ruleFaults({ ...whole, value: parsed }),
  ];
  if (all.length > 0) throw new InvalidRequest(all);
  return { ...(withoutUndefined(parsed) as T), ...separate };
}

/**
 * Parses the items of separate lists (see `SeparateListField`), each with the faults that were found in it earlier.
 * Returns the lists, and the other faults that were found.
 */
function parseSeparately(
  shape: new () => object,
  parsed: object,
  loc: Loc,
  found: readonly LocatedFault[],
): { readonly own: readonly LocatedFault[]; readonly separate: Record<string, readonly Separate<object>[]> } {
  const separate: Record<string, readonly Separate<object>[]> = {};
  let own = found;
  for (const [name, item] of Object.entries(separateListsOf(shape.prototype as object))) {
    const sent = (parsed as Record<string, unknown>)[name];
    if (!Array.isArray(sent)) continue;
    separate[name] = sent.map((one: unknown, index) => {
      const at: Loc = [...loc, name, String(index)];
      return parseItem(
        item,
        one,
        at,
        own.filter((fault) => isWithin(fault.loc, at)),
      );
    });
    own = own.filter((fault) => !isWithin(fault.loc, [...loc, name]));
  }
  return { own, separate };
}

function parseItem(item: new () => object, sent: unknown, at: Loc, found: readonly LocatedFault[]): Separate<object> {
  try {
    return { value: parseAt(item, sent, at, found) };
  } catch (error) {
    if (error instanceof InvalidRequest) return { fault: error };
    throw error;
  }
}

function isWithin(loc: Loc, outer: Loc): boolean {
  return loc.length > outer.length && outer.every((part, index) => loc[index] === part);
}

/** Returns the faults that the rules of the classes of a request and of the objects in it find. */
function ruleFaults(object: RequestObject): LocatedFault[] {
  const { shape, value, loc } = object;
  return [
    ...objectRuleFaults(shape, value).map(({ path, msg, type }) => ({ loc: [...loc, ...path] as const, msg, type })),
    ...objectsIn(object).flatMap(ruleFaults),
  ];
}

/** Bodies are searched for NUL as a whole (see parseJsonBody); in a query only declared fields are checked. */
function nulFaults(query: object): LocatedFault[] {
  return Object.entries(query).flatMap(([name, value]) =>
    [value].flat().some((item) => typeof item === 'string' && item.includes('\u0000'))
      ? [{ loc: ['query', name] as const, msg: 'String should not contain NUL', type: 'value_error' as const }]
      : [],
  );
}

function examine<T extends object>(shape: new () => T, source: object, loc: Loc): Examined<T> {
  const tooLong = lengthFaults({ shape, value: source, loc, ...CLOSED });
  if (tooLong.length > 0) throw new InvalidRequest(tooLong);
  const parsed = plainToInstance(shape, source, { excludeExtraneousValues: true, exposeUnsetFields: false });
  const errors = validateSync(parsed, { forbidUnknownValues: false });
  const nameOf = sentNames(shape, source);
  const own = errors.flatMap((error) => faultsOf(error, [...loc, nameOf(error.property)]));
  return { parsed, faults: [...own, ...openObjectFaults(shape, parsed, loc)] };
}

/** Rejects lists with too many items before the other checks, because creating instances is costly. */
function lengthFaults(object: RequestObject): LocatedFault[] {
  const { shape, loc } = object;
  const limits = Object.entries(itemLimitsOf(shape.prototype as object));
  const own = limits.flatMap(([name, limit]): LocatedFault[] => {
    const value = (object.value as Record<string, unknown>)[name];
    const msg = `List should have at most ${limit} ${limit === 1 ? 'item' : 'items'}`;
    return Array.isArray(value) && value.length > limit ? [{ loc: [...loc, name], msg, type: 'too_long' }] : [];
  });
  // The lists in a list that is too long are not counted.
  return own.length > 0 ? own : objectsIn(object).flatMap(lengthFaults);
}

type Loc = LocatedFault['loc'];

interface Examined<T> {
  readonly parsed: T;
  readonly faults: readonly LocatedFault[];
}

/**
 * Returns the faults in the known keys of open objects and of lists of them. The values themselves are not converted.
 */
function openObjectFaults(shape: new () => object, parsed: object, loc: Loc): LocatedFault[] {
  return Object.entries(openObjectsOf(shape.prototype as object)).flatMap(([name, { known }]) => {
    const value = (parsed as Record<string, unknown>)[name];
    const at: Loc = [...loc, name];
    if (!Array.isArray(value)) return isDict.passes(value) ? examine(known, value as object, at).faults : [];
    return value.flatMap((item: unknown, index) =>
      isDict.passes(item) ? examine(known, item as object, [...at, String(index)]).faults : [],
    );
  });
}

/**
 * Returns the name under which a field was sent (its own or its alias), so that faults contain the name that the client
 * sent.
 */
function sentNames(shape: new () => object, source: object): (field: string) => string {
  const aliases = aliasesOf(shape.prototype as object);
  const sent = source as Record<string, unknown>;
  return (field) => {
    const alias = aliases[field];
    return alias !== undefined && sent[field] == null && sent[alias] != null ? alias : field;
  };
}

function faultsOf(error: ValidationError, loc: Loc): LocatedFault[] {
  const checks = Object.entries(error.constraints ?? {}).filter(([check]) => check !== NESTED_CHECK);
  const own = checks.flatMap(([check, msg]) => ownFaults(error.value, loc, check, msg));
  const wrongItems = new Set(own.filter((fault) => fault.loc.length > loc.length).map((fault) => fault.loc.at(-1)));
  const children = (error.children ?? []).filter((child) => !wrongItems.has(child.property));
  return [...own, ...children.flatMap((child) => faultsOf(child, [...loc, child.property]))];
}

/** The validator's check for nested objects, which only repeats faults that the checks of the fields report. */
const NESTED_CHECK = 'nestedValidation';

function ownFaults(value: unknown, loc: Loc, check: string, msg: string): LocatedFault[] {
  const type = FAULT_TYPES.find((candidate) => candidate === check.replace(ITEM_PREFIX, '')) ?? 'value_error';
  const isWrong = WRONG_ITEM[type];
  if (!check.startsWith(ITEM_PREFIX) || !Array.isArray(value) || isWrong === undefined) return [{ loc, msg, type }];
  return wrongItemsOf(value, isWrong).map((index) => ({ loc: [...loc, String(index)], msg, type }));
}

/** Returns at most as many indexes as can be reported, because a body can contain half a million faults. */
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
