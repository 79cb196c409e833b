import { RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import type { RuleMetadata } from './unit.js';

/** Returns the value of `rego.metadata.rule()` or `rego.metadata.chain()`, which is constant for a rule. */
export function metadataConstant(name: string, chain: readonly RuleMetadata[]): Value | undefined {
  if (name === 'rego.metadata.rule') return chain[0]?.annotations[0]?.value ?? new RegoObject();
  if (name !== 'rego.metadata.chain') return undefined;
  const links: Value[] = [];
  for (const [at, { path, annotations }] of chain.entries()) {
    if (at === 0 && annotations.length === 0) links.push(new RegoObject([['path', path]]));
    for (const { value } of annotations) {
      links.push(
        new RegoObject([
          ['annotations', value],
          ['path', path],
        ]),
      );
    }
  }
  return links;
}
