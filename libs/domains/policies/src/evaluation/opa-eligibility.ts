import { isRelocatable, namesIn, type parseModule } from '@app/rego';

/**
 * Builtins with effects outside the evaluation. The last two are among them because OPA fetches schemas that a JSON
 * schema refers to by URL. A module that mentions one of these builtins is not eligible, even if a `with` replaces the
 * builtin in one place: the replacement does not apply to the rest of the module.
 */
const EXTERNAL_BUILTINS: ReadonlySet<string> = new Set([
  'http.send',
  'net.lookup_ip_addr',
  'opa.runtime',
  'json.match_schema',
  'json.verify_schema',
]);

/**
 * Returns whether OPA may evaluate a module. The platform evaluates all other modules itself: in its evaluator,
 * builtins have no external effects, and `data` contains no other module.
 */
export function isOpaEligible(module: ReturnType<typeof parseModule>): boolean {
  const isExternal = [...namesIn(module)].some((name) => EXTERNAL_BUILTINS.has(name)) || annotatesSchemas(module);
  return !isExternal && isRelocatable(module);
}

/** Returns whether the annotations of a module, which are comments, refer to schemas: OPA fetches them. */
function annotatesSchemas({ comments }: ReturnType<typeof parseModule>): boolean {
  return comments.some(({ text }) => text.includes('schemas'));
}
