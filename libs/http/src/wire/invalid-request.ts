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

/**
 * The parts of the request from which some fields of commands come: headers (see Repeatable, LeaseToken) and the path.
 */
const PLACES: ReadonlyMap<string | undefined, readonly [WirePlace, string]> = new Map([
  ['idempotency_key', ['header', 'Idempotency-Key']],
  ['file_name', ['path', 'file_name']],
  ['lease_token', ['header', 'X-Lease-Token']],
]);

/**
 * Converts the faults of a command to faults of its request. The values of GET and HEAD come from the query, those of
 * other methods from the body, except for the fields in `PLACES`. Faults in other path parameters are found by the
 * routes themselves.
 */
export function locateFaults(faults: readonly Fault[], method: string | undefined): LocatedFault[] {
  const place = method === 'GET' || method === 'HEAD' ? 'query' : 'body';
  return faults.map(({ path, msg, type }) => {
    const other = PLACES.get(path[0]);
    return { loc: other === undefined ? [place, ...path] : [...other, ...path.slice(1)], msg, type };
  });
}
