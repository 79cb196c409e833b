import {
  parseModule,
  RegoBudgetError,
  RegoCompileError,
  RegoEvaluationError,
  type Budget,
  type Json,
  type PreparedQuery,
  type Program,
} from '@app/rego';
import { OpaError } from './opa-error.js';
import { mayLeave } from './opa-module.js';
import { TOO_MANY } from './policy-bounds.js';
import type { AppliedPolicy } from './policy.types.js';
import type { JointVerdict, Question, Verdict } from './verdict.types.js';

/** More violations of one policy are counted, not listed. */
export const MAX_VIOLATIONS = 100;
/** Longer ones are cut. */
export const MAX_VIOLATION_LENGTH = 500;
/** Characters of the violations of all policies of a decision: beyond them they are counted, not listed. */
export const MAX_TOLD = 128 * 1024;

const NANOSECONDS = 1_000_000n;

/** A policy ready to be asked. */
export interface PreparedPolicy {
  readonly query: PreparedQuery;
  /** Whether it has a rule `allow`, be it a function: then only its being true allows. */
  readonly hasAllow: boolean;
  /** Its package. */
  readonly path: readonly string[];
  /** Names of rules that are functions. */
  readonly functions: ReadonlySet<string>;
  /** Whether OPA may evaluate it. */
  readonly mayLeave: boolean;
}

/** All that is read of a module in one evaluation, so that one budget holds for it and nothing is computed twice. */
export function preparePolicy(program: Program, content: string): PreparedPolicy {
  const [path = []] = program.packagePaths();
  const document = `data${path.map((name) => `[${JSON.stringify(name)}]`).join('')}`;
  const read = ['allow', 'violations', 'deny'].map((rule) => `"${rule}": [value | value := ${document}.${rule}]`);
  const module = parseModule(content);
  const { rules } = module;
  return {
    query: program.query(`{${read.join(', ')}}`),
    hasAllow: rules.some(({ name }) => name.name === 'allow'),
    path,
    functions: new Set(rules.flatMap(({ name, args }) => (args === undefined ? [] : [name.name]))),
    mayLeave: mayLeave(module),
  };
}

/**
 * What a policy says. Whatever goes wrong, it denies and says so; `unforeseen` hears of what is no fault of the policy.
 */
export function judge(
  policy: AppliedPolicy,
  prepare: () => PreparedPolicy,
  { input, at, seed }: Question,
  budget: Budget,
  unforeseen: (error: unknown) => void,
): Verdict {
  try {
    const { query, hasAllow } = prepare();
    const now = BigInt(at.getTime()) * NANOSECONDS;
    return readVerdict(query.value({ input: input as Json, now, seed, budget }), hasAllow);
  } catch (error) {
    return failedVerdict(policy, error, unforeseen);
  }
}

/** The same where another engine evaluates the policy: `ask` answers what it says its rules are. */
export async function judgeElsewhere(
  policy: AppliedPolicy,
  prepare: () => PreparedPolicy,
  ask: (prepared: PreparedPolicy) => Promise<Json>,
  unforeseen: (error: unknown) => void,
): Promise<Verdict> {
  try {
    const prepared = prepare();
    return readVerdict(await ask(prepared), prepared.hasAllow);
  } catch (error) {
    return failedVerdict(policy, error, unforeseen);
  }
}

/** `documents` holds each rule's value in a list, which is empty where the rule is undefined. */
function readVerdict(documents: Json | undefined, hasAllow: boolean): Verdict {
  const { allow, violations, deny } = documents as Readonly<Record<'allow' | 'violations' | 'deny', readonly Json[]>>;
  const said = [...violationsIn('violations', violations), ...violationsIn('deny', deny)];
  const permitted = !hasAllow || allow[0] === true;
  return { allowed: permitted && said.length === 0, violations: bounded(new Set(said)), failure: null };
}

/**
 * Sets and lists hold one violation each; one that is no text is told as JSON. Of single values, as rules without
 * `contains` have them, `false` is none, `true` and a text are one. Any other shape was not meant to be read like this,
 * so it denies and says what it is.
 */
function violationsIn(rule: string, [value = false]: readonly Json[]): string[] {
  if (value === false) return [];
  if (value === true) return [`${rule} is true`];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  const shape = value === null ? 'null' : typeof value === 'object' ? 'an object' : 'a number';
  return [`${rule} is ${shape}, not a set or a list of texts`];
}

function bounded(said: ReadonlySet<string>): string[] {
  const listed = [...said].slice(0, MAX_VIOLATIONS).map(storable);
  const more = said.size - listed.length;
  return more === 0 ? listed : [...listed, `and ${more} more`];
}

/** As PostgreSQL can keep it: whole characters, none of them NUL. */
function storable(text: string): string {
  const cut = text.length > MAX_VIOLATION_LENGTH ? `${text.slice(0, MAX_VIOLATION_LENGTH)}…` : text;
  return Buffer.from(cut).toString().replaceAll('\u0000', '\uFFFD');
}

function failedVerdict(policy: AppliedPolicy, error: unknown, unforeseen: (error: unknown) => void): Verdict {
  const denied = (failure: NonNullable<Verdict['failure']>, why: string): Verdict => {
    return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${why}`)], failure };
  };
  if (error instanceof RegoCompileError) {
    const [first] = error.faults;
    const where = first === undefined ? '' : `: line ${first.row}, column ${first.col}: ${first.message}`;
    return denied('compile', `does not compile${where}`);
  }
  if (error instanceof RegoBudgetError) return denied(error.kind, `was stopped: ${error.message}`);
  if (error instanceof RegoEvaluationError) return denied('evaluation', `failed: ${error.message}`);
  if (error instanceof OpaError) {
    unforeseen(error);
    return denied(error.kind, `could not be evaluated: ${error.message}`);
  }
  unforeseen(error);
  return denied('evaluation', 'could not be evaluated');
}

/** The verdict on a policy whose turn came when the time that all of them have for something was over. */
export function unaskedVerdict(policy: AppliedPolicy, what: 'compiled' | 'evaluated', totalMs: number): Verdict {
  const why = `was not ${what}: the policies before it took the ${totalMs} ms that all of them have`;
  return { allowed: false, violations: [storable(`Policy "${policy.policy_name}" ${why}`)], failure: 'time' };
}

/** The verdict of a policy with no more of its violations than there is room for; all or none of them are listed. */
export function toldWithin(verdict: Verdict, room: number): Verdict {
  const count = verdict.violations.length;
  if (count === 0 || lengthOf(verdict) <= room) return verdict;
  return { ...verdict, violations: [`Violations: ${count}, too long to be told with those before`] };
}

export function lengthOf({ violations }: Verdict): number {
  return violations.reduce((sum, { length }) => sum + length, 0);
}

/** What is said where more policies apply than can be evaluated together, so that none is asked. */
export function excessVerdict(): JointVerdict {
  return { allowed: false, violations: [TOO_MANY], policies: [] };
}
