import { MAX_FAULTS, type Fault, type FaultType } from '@app/kernel';

/** A part of a request. */
export type WirePlace = 'body' | 'query' | 'path' | 'header';

/** A fault of a request. `loc` is the path of the value, beginning with the part of the request that contains it. */
export interface LocatedFault {
  readonly loc: readonly [WirePlace, ...string[]];
  readonly msg: string;
  readonly type: FaultType;
}

/** A request with values that its route rejects. Contains all faults of its parts, up to `MAX_FAULTS`. */
export class InvalidRequest extends Error {
  readonly faults: readonly LocatedFault[];

  constructor(faults: readonly LocatedFault[]) {
    const reported = faults.slice(0, MAX_FAULTS);
    super(reported.map(({ msg }) => msg).join('; '));
    this.name = 'InvalidRequest';
    this.faults = reported;
  }
}

/** By the name of a field of commands: where its value is in a request. */
const places = new Map<string | undefined, readonly [WirePlace, string]>([
  ['idempotency_key', ['header', 'Idempotency-Key']],
]);

/**
 * Declares that the value of a field of commands, in every route that has it, is not in the body or the query but in a
 * header or in the path. The decorators that inject such values call it.
 */
export function declarePlace(field: string, place: 'header' | 'path', name: string): void {
  places.set(field, [place, name]);
}

/**
 * Converts the faults of a command to faults of its request. The values of GET and HEAD come from the query, those of
 * other methods from the body, except for fields with a declared place. Faults in other path parameters are found by
 * the routes themselves.
 */
export function locateFaults(faults: readonly Fault[], method: string | undefined): LocatedFault[] {
  const usual: WirePlace = method === 'GET' || method === 'HEAD' ? 'query' : 'body';
  return faults.map(({ path, place = usual, msg, type }) => {
    const other = place === usual ? places.get(path[0]) : undefined;
    return { loc: other === undefined ? [place, ...path] : [...other, ...path.slice(1)], msg, type };
  });
}
