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

/** Fields of commands that come from a header of the request (see Repeatable). */
const HEADER_OF: ReadonlyMap<string | undefined, string> = new Map([['idempotency_key', 'Idempotency-Key']]);

/**
 * Converts the faults of a command to faults of its request. For GET and HEAD the values come from the query, else from
 * the body; the fields in `HEADER_OF` come from their header. Faults in path parameters are found by the routes themselves.
 */
export function locateFaults(faults: readonly Fault[], method: string | undefined): LocatedFault[] {
  const place = method === 'GET' || method === 'HEAD' ? 'query' : 'body';
  return faults.map(({ path, msg, type }) => {
    const header = HEADER_OF.get(path[0]);
    return { loc: header === undefined ? [place, ...path] : ['header', header, ...path.slice(1)], msg, type };
  });
}
