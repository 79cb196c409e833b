import { parseModule } from '@app/rego';
import leven from 'leven';
import { RESULT_RULES } from './verdict.types.js';

/** Names that differ by more letters have another meaning. */
const MAX_DISTANCE = 3;

/**
 * Returns a sentence for each reason why the text, which must compile, cannot decide as its author probably expects:
 * none of the rules that determine a verdict is defined, or one of them is a function.
 */
export function policyWarnings(content: string): readonly string[] {
  const { rules } = parseModule(content);
  const defined = new Set(rules.filter(({ args }) => args === undefined).map(({ name }) => name.name));
  const functions = new Set(rules.filter(({ args }) => args !== undefined).map(({ name }) => name.name));
  const asFunctions = RESULT_RULES.filter((rule) => functions.has(rule) && !defined.has(rule));
  if (asFunctions.length > 0) return asFunctions.map(functionWarning);
  if (RESULT_RULES.some((rule) => defined.has(rule))) return [];
  return [`None of the rules allow, violations and deny is defined, so nothing is denied${suggestion(defined)}`];
}

function functionWarning(rule: (typeof RESULT_RULES)[number]): string {
  return `${rule} is a function, not a rule, so ${rule === 'allow' ? 'everything is denied' : 'it denies nothing'}`;
}

/** Suggests the pair of names with the smallest distance, if at most half of the letters differ. */
function suggestion(defined: ReadonlySet<string>): string {
  const [best] = [...defined]
    .flatMap((name) => RESULT_RULES.map((rule) => ({ name, rule, distance: leven(name.toLowerCase(), rule) })))
    .filter(({ name, distance }) => distance <= MAX_DISTANCE && distance * 2 <= name.length)
    .toSorted((a, b) => a.distance - b.distance);
  return best === undefined ? '' : `; did you mean ${best.rule} instead of ${best.name}?`;
}
