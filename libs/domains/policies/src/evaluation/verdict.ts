import { headOf, isJsonObject, parseExactJson } from '@app/kernel';
import {
  parseModule,
  RegoBudgetError,
  RegoCompileError,
  RegoEvaluationError,
  RegoInputError,
  type Budget,
  type Json,
  type Program,
} from '@app/rego';
import { OpaError } from './opa.error.js';
import { isOpaEligible } from './opa-eligibility.js';
import type { AppliedPolicy } from '../policies/policy.types.js';
import type { LocalRequest, PolicyShape, PreparedPolicy, RuleDocuments, Verdict } from './verdict.types.js';

/** Maximum number of listed violations of one policy; further ones are only counted. */
export const MAX_VIOLATIONS = 100;
/** Maximum number of characters of one violation; longer ones are truncated. */
export const MAX_VIOLATION_LENGTH = 500;
/**
 * Maximum number of characters of the violations of all policies of a decision. Beyond it, the violations of a policy
 * are only counted.
 */
export const MAX_TOTAL_VIOLATIONS_LENGTH = 128 * 1024;

/** Maximum number of characters of the output of a package. */
const MAX_OUTPUT_LENGTH = 64 * 1024;

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** The fields of a policy that appear in violations. */
type NamedPolicy = Pick<AppliedPolicy, 'policy_name'>;

/** Receives errors that are not the fault of the policy. They are logged; the verdict does not contain them. */
export type OnInternalError = (error: unknown) => void;

/**
 * Prepares a policy for evaluation. Its query reads all three rules in one evaluation, so that one budget limits them
 * and shared rules are evaluated once.
 */
export function preparePolicy(program: Program, content: string): PreparedPolicy {
  const [path = []] = program.packagePaths();
  const document = `data${path.map((name) => `[${JSON.stringify(name)}]`).join('')}`;
  const fields = ['allow', 'violations', 'deny'].map((rule) => `"${rule}": [value | value := ${document}.${rule}]`);
  const module = parseModule(content);
  const { rules } = module;
  return {
    query: program.query(`{${fields.join(', ')}}`),
    packageQuery: () => program.query(document),
    hasAllow: rules.some(({ name }) => name.name === 'allow'),
    path,
    functions: new Set(rules.flatMap(({ name, args }) => (args === undefined ? [] : [name.name]))),
    opaEligible: isOpaEligible(module),
  };
}

/**
 * Evaluates a policy in this process. Never throws: every failure, including one of `prepare` and `readInput`, results in a verdict
 * that denies.
 */
export function evaluateLocally(
  policy: NamedPolicy,
  prepare: () => PreparedPolicy,
  { readInput, at, seed }: LocalRequest,
  budget: Budget,
  onInternalError: OnInternalError,
): Verdict {
  try {
    const { query, hasAllow } = prepare();
    const now = BigInt(at.getTime()) * NANOSECONDS_PER_MILLISECOND;
    const documents = query.value({ input: readInput(), now, seed, budget, toNumber });
    return readVerdict(documents as RuleDocuments, hasAllow);
  } catch (error) {
    return failedVerdict(policy, error, onInternalError);
  }
}

/**
 * Returns the value of the package as JSON text, to show why a policy decides as it does; null if it cannot be evaluated,
 * even if its verdict can, or is longer than `MAX_OUTPUT_LENGTH`.
 */
export function packageOutput(
  { packageQuery }: PreparedPolicy,
  { readInput, at, seed }: LocalRequest,
  budget: Budget,
): string | null {
  try {
    const now = BigInt(at.getTime()) * NANOSECONDS_PER_MILLISECOND;
    const output = JSON.stringify(packageQuery().value({ input: readInput(), now, seed, budget, toNumber }) ?? {});
    return output.length > MAX_OUTPUT_LENGTH ? null : output;
  } catch (error) {
    if (error instanceof RegoBudgetError || error instanceof RegoEvaluationError) return null;
    throw error;
  }
}

/** Violations show numbers with all their digits. */
function toNumber(text: string): Json {
  return parseExactJson(text) as Json;
}

/** Evaluates a policy with OPA, which `fetchDocuments` queries. Never throws, like `evaluateLocally`. */
export async function evaluateWithOpa(
  policy: NamedPolicy,
  { hasAllow }: PolicyShape,
  fetchDocuments: () => Promise<RuleDocuments>,
  onInternalError: OnInternalError,
): Promise<Verdict> {
  try {
    return readVerdict(await fetchDocuments(), hasAllow);
  } catch (error) {
    return failedVerdict(policy, error, onInternalError);
  }
}

function readVerdict({ allow, violations, deny }: RuleDocuments, hasAllow: boolean): Verdict {
  const members = [...violationsIn('violations', violations), ...violationsIn('deny', deny)];
  const permitted = !hasAllow || allow[0] === true;
  return { allowed: permitted && members.length === 0, violations: bounded(new Set(members)), failure: null };
}

/**
 * Returns the violations of a rule. Each member of a set or list is a violation; members that are not strings are shown
 * as JSON. Rules without `contains` have a single value: `false` is no violation, `true` and any string are one
 * violation. Values of other types deny, because the author of such a rule must have expected another meaning.
 */
function violationsIn(rule: string, [value = false]: readonly Json[]): string[] {
  if (value === false) return [];
  if (value === true) return [`${rule} is true`];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  const type = value === null ? 'null' : isJsonObject(value) ? 'an object' : 'a number';
  return [`${rule} is ${type}, not a set or list of strings`];
}

function bounded(violations: ReadonlySet<string>): string[] {
  const listed = [...violations].slice(0, MAX_VIOLATIONS).map(storable);
  const more = violations.size - listed.length;
  return more === 0 ? listed : [...listed, `and ${more} more`];
}

/** Returns text that PostgreSQL can store: truncated, without unpaired surrogates and NUL. */
function storable(text: string): string {
  const truncated = text.length > MAX_VIOLATION_LENGTH ? `${headOf(text, MAX_VIOLATION_LENGTH)}…` : text;
  return Buffer.from(truncated).toString().replaceAll('\u0000', '\uFFFD');
}

function failedVerdict(policy: NamedPolicy, error: unknown, onInternalError: OnInternalError): Verdict {
  const denied = (failure: NonNullable<Verdict['failure']>, reason: string): Verdict => {
    return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${reason}`)], failure };
  };
  if (error instanceof RegoCompileError) {
    const [first] = error.faults;
    const position = first === undefined ? '' : `: line ${first.row}, column ${first.col}: ${first.message}`;
    return denied('compile', `does not compile${position}`);
  }
  if (error instanceof RegoBudgetError) return denied(error.kind, `was stopped: ${error.message}`);
  if (error instanceof RegoEvaluationError || error instanceof RegoInputError)
    return denied('evaluation', `failed: ${error.message}`);
  onInternalError(error);
  if (error instanceof OpaError) return denied(error.kind, `could not be evaluated: ${error.message}`);
  return denied('evaluation', 'could not be evaluated');
}

/**
 * Returns the verdict of a policy that was not compiled or evaluated because the policies before it used up the time
 * limit for all policies.
 */
export function skippedVerdict(policy: NamedPolicy, step: 'compiled' | 'evaluated', totalMs: number): Verdict {
  const reason = `was not ${step}: the policies before it used up the limit of ${totalMs} ms for all policies`;
  return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${reason}`)], failure: 'time' };
}

const STOPPED = {
  time: 'was stopped: it did not end within its time limit',
  memory: 'was stopped: it used up the memory of its thread',
  evaluation: 'could not be evaluated',
} as const;
export type StopReason = keyof typeof STOPPED;

/** Returns the verdict of a policy whose thread was stopped while the policy was compiled or evaluated. */
export function stoppedVerdict(policy: NamedPolicy, failure: StopReason): Verdict {
  return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${STOPPED[failure]}`)], failure };
}

/** Returns the verdict of the other policies of a decision whose thread was stopped. */
export function abandonedVerdict(policy: NamedPolicy, stopped: NamedPolicy, failure: StopReason): Verdict {
  const reason = `was not evaluated: the thread was stopped at policy "${stopped.policy_name}"`;
  return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${reason}`)], failure };
}

/** Returns the verdict with its violations, or with only their number if they have more than `maxLength` characters. */
export function truncateVerdict(verdict: Verdict, maxLength: number): Verdict {
  const count = verdict.violations.length;
  if (count === 0 || violationsLength(verdict) <= maxLength) return verdict;
  return { ...verdict, violations: [`${count} violations, not listed because the decision has too many`] };
}

export function violationsLength({ violations }: Verdict): number {
  return violations.reduce((sum, { length }) => sum + length, 0);
}
