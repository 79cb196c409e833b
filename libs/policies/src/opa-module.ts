import { isRelocatable, namesIn, type parseModule } from '@app/rego';

/**
 * What reaches outside when OPA evaluates it. A `with` that replaces it somewhere says nothing about the rest of the
 * module; and a JSON schema may refer to others by their address, which OPA then fetches.
 */
const REACHES_OUTSIDE: ReadonlySet<string> = new Set([
  ...['http.send', 'net.lookup_ip_addr', 'opa.runtime'],
  ...['json.match_schema', 'json.verify_schema'],
]);

/**
 * Whether a module may be evaluated by OPA. One that may not is evaluated here, where nothing of it reaches anything and
 * no other module is in its `data`.
 */
export function mayLeave(module: ReturnType<typeof parseModule>): boolean {
  const reaches = [...namesIn(module)].some((name) => REACHES_OUTSIDE.has(name)) || namesSchemas(module);
  return !reaches && isRelocatable(module);
}

/** Annotations may name schemas as well. */
function namesSchemas({ comments }: ReturnType<typeof parseModule>): boolean {
  return comments.some(({ text }) => text.includes('schemas'));
}
