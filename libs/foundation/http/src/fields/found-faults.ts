import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';

const FOUND = new WeakMap<object, readonly LocatedFault[]>();

/**
 * Attaches to a body the faults that were found before its fields are parsed: in the path, in the headers, and in texts
 * that cannot be stored. The parser of the body reports them together with the faults of the fields, so that one
 * response has all. Throws them if the route accepts no body.
 */
export function withFoundFaults(body: unknown, faults: readonly LocatedFault[], isTaken: boolean): unknown {
  if (faults.length === 0) return body;
  const carrier = body ?? {};
  if (!isTaken || typeof carrier !== 'object') throw new InvalidRequest(faults);
  FOUND.set(carrier, faults);
  return carrier;
}

export function foundFaults(body: unknown): readonly LocatedFault[] {
  return typeof body === 'object' && body !== null ? (FOUND.get(body) ?? []) : [];
}
