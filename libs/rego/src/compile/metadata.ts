import { RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import type { RuleMetadata } from './unit.js';

/** Value of `rego.metadata.rule()` or `rego.metadata.chain()`, which is known when a rule is compiled. */
export function metadataConstant(name: string, chain: readonly RuleMetadata[]): Value | undefined {
  if (name === 'rego.metadata.rule') {
    const own = chain[0]?.annotations.find((annotation) => annotation.scope === 'rule');
    return own?.value ?? new RegoObject();
  }
  if (name !== 'rego.metadata.chain') return undefined;
  const links: Value[] = [];
  for (const [at, link] of chain.entries()) {
    for (const annotation of link.annotations) {
      links.push(
        new RegoObject([
          ['annotations', annotation.value],
          ['path', link.path],
        ]),
      );
    }
    const ruleLevel = link.annotations.some((annotation) => annotation.scope === 'rule');
    if (at === 0 && !ruleLevel) links.unshift(new RegoObject([['path', link.path]]));
  }
  return links;
}
