import { REQUEST_FIELDS, type RequestFields } from '@app/api-client';
import leven from 'leven';
import { CommandError, EXIT_CODES } from './errors.js';
import type { Row } from './output.js';
import { parametersOf } from './resource-client.js';
import type { Resource } from './resources.js';

/** A field that the platform does not know, and the known one that is probably meant. */
interface UnknownField {
  readonly path: string;
  readonly meant: string | undefined;
}

/**
 * Throws a CommandError if fields of a resource are not known: the platform would ignore them, so they would be a
 * difference for ever. `current` is the resource, whose other fields may be repeated without effect.
 */
export function checkFields(resource: Resource, fields: Row, label: string, current: Row | null): void {
  const unknown = unknownIn(fields, fieldsOf(resource, current === null), '').filter(
    ({ path }) => current === null || !Object.hasOwn(current, path),
  );
  if (unknown.length === 0) return;
  const lines = unknown.map(({ path, meant }) => (meant === undefined ? path : `${path} (did you mean ${meant}?)`));
  throw new CommandError(
    `${label}: unknown ${unknown.length === 1 ? 'field' : 'fields'} ${lines.join(', ')}. Nothing was changed.`,
    EXIT_CODES.data,
    `The fields are in the API documentation (/api/docs), and in: agentctl ${resource.plural} get ${resource.example}`,
  );
}

/** The fields with which a resource is created, or changed. */
function fieldsOf(resource: Resource, isNew: boolean): RequestFields {
  const { api, list, create = list, item, update = 'patch' } = resource;
  const table = REQUEST_FIELDS[api === 'platform' ? 'platform-api' : 'control-plane'] ?? {};
  const inPath = Object.fromEntries(parametersOf(create).map((name) => [name, 1 as const]));
  const created = { ...table[`post ${create}`], ...inPath };
  // The fields of a creation are known as well: a manifest creates and changes.
  return isNew ? created : { ...created, ...table[`${update} ${item}`] };
}

function unknownIn(value: unknown, known: RequestFields | 1, path: string): UnknownField[] {
  if (known === 1 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownIn(item, known, `${path}[${index}]`));
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const fields = Object.hasOwn(known, name) ? known[name] : undefined;
    if (fields !== undefined) return unknownIn(inner, fields, at);
    return [{ path: at, meant: closest(name, Object.keys(known)) }];
  });
}

/** A third of the letters may differ: more is another word. */
const TOLERANCE = 3;

function closest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(name.toLowerCase(), candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.ceil(name.length / TOLERANCE) ? best.candidate : undefined;
}
