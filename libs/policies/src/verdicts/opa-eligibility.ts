import { isRelocatable, namesIn, type parseModule } from '@app/rego';

/**
 * Builtins with effects outside the evaluation. OPA fetches schemas that a JSON schema refers to by URL. A `with` that
 * replaces a builtin in one place does not cover the other places of the module, so a mention is enough.
 */
const EXTERNAL_BUILTINS: ReadonlySet<string> = new Set([
  ...['http.send', 'net.lookup_ip_addr', 'opa.runtime'],
  ...['json.match_schema', 'json.verify_schema'],
]);

/**
 * Whether OPA may evaluate a module. Other modules are evaluated by the platform, where no builtin has external effects
 * and no other module is part of `data`.
 */
export function isOpaEligible(module: ReturnType<typeof parseModule>): boolean {
  const isExternal = [...namesIn(module)].some((name) => EXTERNAL_BUILTINS.has(name)) || annotatesSchemas(module);
  return !isExternal && isRelocatable(module);
}

/** Annotations are comments and may refer to schemas, which OPA fetches. */
function annotatesSchemas({ comments }: ReturnType<typeof parseModule>): boolean {
  return comments.some(({ text }) => text.includes('schemas'));
}
