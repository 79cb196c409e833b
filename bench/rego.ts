import { compile } from '@app/rego';
import { alone, type Figure } from './figures.js';

/** Twenty rules over a small input: sets, functions of strings, membership, rules that use rules. */
export function twentyRules(): string {
  const rules = Array.from({ length: 20 }, (_, at) => {
    if (at % 4 === 0) {
      return `violations contains msg if {\n\tinput.resource.type == "type${at}"\n\tsome tag in input.resource.tags\n\tnot startswith(tag, "ok-")\n\tmsg := sprintf("tag %s of %s", [tag, input.resource.name])\n}`;
    }
    if (at % 4 === 1) return `role_${at} if {\n\tsome role in input.user.roles\n\trole in {"admin", "role${at}"}\n}`;
    if (at % 4 === 2)
      return `limit_${at} := n if {\n\tn := count(input.resource.tags) + ${at}\n\tn < 1000\n} else := 0`;
    return `may_${at} if {\n\tinput.user.name != ""\n\tlimit_${at - 1} > 0\n\trole_${at - 2}\n}`;
  });
  const all = [3, 7, 11, 15, 19].map((at) => `\tmay_${at}`).join('\n');
  return `package app\n\ndefault allow := false\n\nallow if {\n${all}\n\tcount(violations) == 0\n}\n\n${rules.join('\n\n')}\n`;
}

export const input = {
  user: { name: 'ann', roles: ['reader', 'admin'] },
  resource: { type: 'type4', name: 'bucket', tags: ['ok-a', 'ok-b', 'ok-c'] },
};

interface RegoFigures {
  /** Microseconds per evaluation of the policy's `allow`, input conversion included. */
  readonly evaluateP50: number;
  readonly evaluateP99: number;
  /** Microseconds for ten such policies one after the other. */
  readonly tenPoliciesP50: number;
  readonly tenPoliciesP99: number;
  /** Milliseconds to compile it. */
  readonly compile: number;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sample(runs: number, work: () => void): readonly number[] {
  for (let run = 0; run < runs; run++) work();
  return Array.from({ length: runs }, () => {
    const started = performance.now();
    work();
    return (performance.now() - started) * 1000;
  }).sort((a, b) => a - b);
}

/** Times a policy of twenty rules. */
function measureRego(runs = 20_000): RegoFigures {
  const text = twentyRules();
  const queries = Array.from({ length: 10 }, () => compile([{ name: 'bench.rego', text }]).query('data.app.allow'));
  const [query] = queries;
  if (query === undefined || query.value({ input }) !== true) throw new Error('the policy of the benchmark must allow');
  const one = sample(runs, () => query.value({ input }));
  const ten = sample(runs / 10, () => queries.forEach((each) => each.value({ input })));
  const compiled = sample(50, () => compile([{ name: 'bench.rego', text }]));
  return {
    evaluateP50: percentile(one, 0.5),
    evaluateP99: percentile(one, 0.99),
    tenPoliciesP50: percentile(ten, 0.5),
    tenPoliciesP99: percentile(ten, 0.99),
    compile: percentile(compiled, 0.5) / 1000,
  };
}

/** The same figures as lines of the table, without a baseline. */
export function regoFigures(rounds: number): Figure[] {
  const measured = Array.from({ length: rounds }, () => measureRego(5000));
  return [
    alone(
      'evaluate a policy of twenty rules, p50',
      'µs',
      measured.map(({ evaluateP50 }) => evaluateP50),
    ),
    alone(
      'evaluate a policy of twenty rules, p99',
      'µs',
      measured.map(({ evaluateP99 }) => evaluateP99),
    ),
    alone(
      'evaluate ten such policies, p50',
      'µs',
      measured.map(({ tenPoliciesP50 }) => tenPoliciesP50),
    ),
    alone(
      'evaluate ten such policies, p99',
      'µs',
      measured.map(({ tenPoliciesP99 }) => tenPoliciesP99),
    ),
    alone(
      'compile a policy of twenty rules',
      'ms',
      measured.map(({ compile: time }) => time),
    ),
  ];
}
