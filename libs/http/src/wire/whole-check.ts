import type { Fault } from '@app/kernel';

/**
 * A rule over several fields of a request: what one value demands of another. Its faults are told together with those
 * of the single fields, so it meets fields that are missing or of a wrong type, and leaves those alone.
 */
export type WholeCheck = (request: Readonly<Record<string, unknown>>) => readonly Fault[];

const WHOLE_CHECK = 'wire:whole-check';

/** Puts a rule over several fields on a request class. */
export function CheckedAsWhole(check: WholeCheck): ClassDecorator {
  return (target) => Reflect.defineMetadata(WHOLE_CHECK, check, target);
}

export function wholeFaults(shape: object, request: object): readonly Fault[] {
  const check = Reflect.getMetadata(WHOLE_CHECK, shape) as WholeCheck | undefined;
  return check === undefined ? [] : check({ ...request });
}
