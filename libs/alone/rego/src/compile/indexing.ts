import type { CompiledRule, RuleIndex, RuleNode } from '../evaluate/context.js';
import { keyOf } from '../values/value.js';
import type { Key } from '../values/value.js';
import type { ResolvedRule } from './rules.js';
import { constantOf } from './constants.js';
import { equal } from '../values/compare.js';

/** With fewer rules, a look-up costs more than it saves. */
const MIN_RULES = 3;

export function buildIndexes(placed: readonly { readonly resolved: ResolvedRule; readonly node: RuleNode }[]): void {
  const byNode = new Map<RuleNode, ResolvedRule[]>();
  for (const { resolved, node } of placed) {
    if (resolved.rule.isDefault) continue;
    const rules = byNode.get(node);
    if (rules === undefined) byNode.set(node, [resolved]);
    else rules.push(resolved);
  }
  for (const [node, rules] of byNode) {
    node.constant = node.kind === 'complete' && sameConstant(rules);
    node.index = indexOf(node.rules);
  }
}

function sameConstant(rules: readonly ResolvedRule[]): boolean {
  const first = rules[0]?.branches[0]?.value;
  const value = first === undefined ? undefined : constantOf(first);
  if (value === undefined) return false;
  return rules.every(({ branches }) =>
    branches.every((branch) => {
      const other = constantOf(branch.value);
      return other !== undefined && equal(other, value);
    }),
  );
}

function indexOf(rules: readonly CompiledRule[]): RuleIndex | undefined {
  if (rules.length < MIN_RULES) return undefined;
  const paths = new Map<string, number>();
  for (const { guard } of rules) {
    if (guard !== undefined) paths.set(guard.path.join('\0'), (paths.get(guard.path.join('\0')) ?? 0) + 1);
  }
  const [best, count] = [...paths].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  if (count < MIN_RULES) return undefined;
  const guarded = (rule: CompiledRule): boolean => rule.guard !== undefined && rule.guard.path.join('\0') === best;
  const others = rules.filter((rule) => !guarded(rule));
  const values = new Set<Key>(rules.filter(guarded).map((rule) => keyOf(rule.guard?.value ?? null)));
  const byValue = new Map<Key, readonly CompiledRule[]>();
  for (const value of values) {
    byValue.set(
      value,
      rules.filter((rule) => !guarded(rule) || keyOf(rule.guard?.value ?? null) === value),
    );
  }
  return { path: best.split('\0'), byValue, others };
}
