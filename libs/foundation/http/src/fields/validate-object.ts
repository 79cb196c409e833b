import type { Fault } from '@app/kernel';

/**
 * A rule over several fields of a request. Its faults are reported together with those of the single fields. When it
 * runs, fields can be missing or have a wrong type; it must ignore such fields. Paths are relative to the request
 * class.
 */
export type ObjectRule = (request: Readonly<Record<string, unknown>>) => readonly Fault[];

const WHOLE_CHECK = 'wire:whole-check';

/** Declares a rule over several fields of a request class. */
export function ValidateObject(check: ObjectRule): ClassDecorator {
  return (target) => Reflect.defineMetadata(WHOLE_CHECK, check, target);
}

/** Returns the faults that the rule of a request class finds; empty if the class has no rule. */
export function objectRuleFaults(shape: object, request: object): readonly Fault[] {
  const check = Reflect.getMetadata(WHOLE_CHECK, shape) as ObjectRule | undefined;
  return check === undefined ? [] : check({ ...request });
}
