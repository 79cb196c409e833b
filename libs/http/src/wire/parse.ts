import { FAULT_TYPES, invalid, withoutUndefined, type Fault, type FaultType } from '@app/kernel';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';

export type WirePlace = 'body' | 'query';

/**
 * Turns what came over the wire into an instance of a request class, or throws with every fault at once. Fields the
 * class does not declare are left out; fields that were not sent stay absent.
 */
export function parseWire<T extends object>(shape: new () => T, received: unknown, place: WirePlace): T {
  const source = received ?? {};
  if (typeof source !== 'object' || Array.isArray(source)) {
    throw invalid([{ loc: [place], msg: 'Input should be a valid object', type: 'dict_type' }]);
  }
  const parsed = plainToInstance(shape, source, { excludeExtraneousValues: true, exposeUnsetFields: false });
  const errors = validateSync(parsed, { forbidUnknownValues: false });
  if (errors.length > 0) throw invalid(errors.flatMap((error) => faultsOf(error, [place])));
  return withoutUndefined(parsed) as T;
}

function faultsOf(error: ValidationError, path: readonly string[]): Fault[] {
  const loc = [...path, error.property];
  const own = Object.entries(error.constraints ?? {}).flatMap(([type, msg]) => ownFaults(error.value, loc, type, msg));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, loc))];
}

/** A fault of a list's items is told once per wrong item, at that item. */
function ownFaults(value: unknown, loc: readonly string[], type: string, msg: string): Fault[] {
  const known = FAULT_TYPES.find((candidate) => candidate === type) ?? 'value_error';
  const wrongItem = ITEM_CHECKS[known];
  if (!Array.isArray(value) || wrongItem === undefined) return [{ loc, msg, type: known }];
  return value.flatMap((item, index) => (wrongItem(item) ? [{ loc: [...loc, String(index)], msg, type: known }] : []));
}

const ITEM_CHECKS: Partial<Record<FaultType, (item: unknown) => boolean>> = {
  string_type: (item) => typeof item !== 'string',
  dict_type: (item) => typeof item !== 'object' || item === null || Array.isArray(item),
};
