import { RegoBudgetError, RegoCompileError, RegoEvaluationError } from '../errors.js';
import { compile } from '../program.js';
import type { EvaluateOptions } from '../program.js';
import type { Bindings } from '../compile/query.js';
import { compare, equal } from '../values/compare.js';
import { Decimal, fromDouble, toDouble } from '../values/decimal.js';
import { parseJson } from '../values/json.js';
import { jsonText } from '../values/text.js';
import { isArray, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';

export type Outcome =
  { readonly status: 'passed' } | { readonly status: 'failed' | 'refused'; readonly reason: string };

/** `test.sleep` is a part of the test suite, not of the language. */
const HARNESS_BUILTINS = { 'test.sleep': { arity: 1, call: () => null } };

/**
 * Runs one case of a suite in the form that the README of the suite describes. The result does not depend on the name
 * of the case.
 */
export function runCase(test: RegoObject): Outcome {
  const wantsError = test.get('want_error_code') !== undefined || test.get('want_error') !== undefined;
  try {
    const solutions = evaluateCase(test);
    if (wantsError)
      return failed(`expected error ${text(test, 'want_error_code')} ${text(test, 'want_error')}, got a result`);
    return compareResult(test, solutions);
  } catch (error) {
    return judgeError(test, error, wantsError);
  }
}

function text(test: RegoObject, name: string): string {
  const value = test.get(name);
  return typeof value === 'string' ? value : '';
}

function failed(reason: string): Outcome {
  return { status: 'failed', reason };
}

function evaluateCase(test: RegoObject): Bindings[] {
  const modules = test.get('modules');
  const sources = isArray(modules)
    ? modules.map((source, at) => ({ name: `module-${at}.rego`, text: String(source) }))
    : [];
  const program = compile(sources, { builtins: HARNESS_BUILTINS, runtime: {} });
  const input = test.has('input_term') ? termValue(text(test, 'input_term')) : test.get('input');
  const options: EvaluateOptions = {
    input,
    data: test.get('data') ?? undefined,
    strict: test.get('strict_error') === true,
    budget: { milliseconds: 20_000 },
  };
  return program.query(text(test, 'query')).evaluateExact(options);
}

function termValue(source: string): Value | undefined {
  return compile([]).query(source).valueExact();
}

function judgeError(test: RegoObject, error: unknown, wanted: boolean): Outcome {
  if (error instanceof RegoCompileError) {
    const refusal = error.faults.find((fault) => fault.code === 'rego_refused_builtin');
    if (refusal !== undefined) return { status: 'refused', reason: refusal.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!wanted) return failed(`unexpected ${error instanceof Error ? error.name : 'error'}: ${message}`);
  const code = text(test, 'want_error_code');
  const codes = errorCodes(error);
  if (code !== '' && !codes.includes(code)) return failed(`expected ${code}, got ${codes.join(', ')}: ${message}`);
  const want = text(test, 'want_error');
  if (want !== '' && !message.includes(want)) return failed(`expected an error with "${want}", got: ${message}`);
  return { status: 'passed' };
}

function errorCodes(error: unknown): readonly string[] {
  if (error instanceof RegoCompileError) return error.faults.map((fault) => fault.code);
  if (error instanceof RegoEvaluationError) return [error.code];
  return [error instanceof RegoBudgetError ? 'budget' : 'internal'];
}

function compareResult(test: RegoObject, solutions: readonly Bindings[]): Outcome {
  const wanted = test.get('want_result');
  const expected = isArray(wanted) ? wanted.map(asDoubles) : [];
  const sorted = test.get('sort_bindings') === true;
  const actual = solutions.map((bindings) => asDoubles(plainValue(new RegoObject([...bindings]))));
  const order = (items: readonly Value[]): readonly Value[] => (sorted ? items.map(sortDeep).sort(compare) : items);
  if (equal(order(actual), order(expected))) return { status: 'passed' };
  return failed(`expected ${jsonText(expected)}, got ${jsonText(actual)}`);
}

/** Returns a value as JSON represents it: sets are arrays and keys are strings. */
function plainValue(value: Value): Value {
  return parseJson(jsonText(value));
}

/** Rounds numbers to doubles, because the files of the suite have the precision of doubles. */
function asDoubles(value: Value): Value {
  if (value instanceof Decimal) return fromDouble(toDouble(value));
  if (isArray(value)) return value.map(asDoubles);
  if (value instanceof RegoObject)
    return new RegoObject(value.entries().map(([key, member]) => [key, asDoubles(member)] as const));
  return value;
}

function sortDeep(value: Value): Value {
  if (isArray(value)) return value.map(sortDeep).sort(compare);
  if (value instanceof RegoSet) return sortDeep(value.items());
  if (value instanceof RegoObject)
    return new RegoObject(value.entries().map(([key, member]) => [key, sortDeep(member)] as const));
  return value;
}
