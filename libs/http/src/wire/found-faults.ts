import { invalid, type Fault } from '@app/kernel';

const FOUND = new WeakMap<object, readonly Fault[]>();

/**
 * The body with what was found wrong with its request before its fields are looked at: in the path, in the headers, in
 * texts that can not be stored. Whoever parses the body tells these together with the faults of the fields, so that all
 * are told at once. Throws them where the route takes no body to tell them with.
 */
export function withFoundFaults(body: unknown, faults: readonly Fault[], isTaken: () => boolean): unknown {
  if (faults.length === 0) return body;
  const carrier = body ?? {};
  if (!isTaken() || typeof carrier !== 'object') throw invalid(faults);
  FOUND.set(carrier, faults);
  return carrier;
}

export function foundFaults(body: unknown): readonly Fault[] {
  return typeof body === 'object' && body !== null ? (FOUND.get(body) ?? []) : [];
}
