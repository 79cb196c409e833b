import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../values/json.js';
import { RegoObject } from '../values/value.js';
import { runCase } from './case.js';
import { runSuite } from './suite.js';

const FOLDER = process.env['REGO_CONFORMANCE_DIR'] ?? join(__dirname, '../../../../../../shared/rego-conformance');

function outcome(test: string): ReturnType<typeof runCase> {
  return runCase(parseJson(test) as RegoObject);
}

describe('the conformance runner', () => {
  it('passes a case with the wanted bindings', () => {
    expect(
      outcome('{"note":"a","modules":["package a\\np := {2, 1}"],"query":"data.a.p = x","want_result":[{"x":[1,2]}]}'),
    ).toEqual({ status: 'passed' });
  });

  it('fails a case with other bindings, and names them', () => {
    const result = outcome('{"note":"a","modules":[],"query":"x = 1","want_result":[{"x":2}]}');
    expect(result).toEqual({ status: 'failed', reason: 'expected [{"x":2}], got [{"x":1}]' });
  });

  it('fails a case that expects an error but gets none', () => {
    expect(outcome('{"note":"a","modules":[],"query":"x = 1","want_error_code":"eval_conflict_error"}').status).toBe(
      'failed',
    );
  });

  it('passes a case with the expected error', () => {
    const test =
      '{"note":"a","modules":["package a\\np := 1 if true\\np := 2 if true"],"query":"data.a.p","want_error":"complete rules","want_error_code":"eval_conflict_error"}';
    expect(outcome(test)).toEqual({ status: 'passed' });
  });

  it('counts unsupported builtins separately from failures', () => {
    expect(outcome('{"note":"a","modules":["package a\\np := http.send({})"],"query":"data.a.p = x"}').status).toBe(
      'refused',
    );
  });

  it('accepts the input as a term', () => {
    expect(
      outcome('{"note":"a","modules":[],"query":"input[x]","input_term":"{1, 2}","want_result":[{"x":1},{"x":2}]}'),
    ).toEqual({ status: 'passed' });
  });
});

const isThere = existsSync(FOLDER);
if (!isThere)
  process.stderr.write(
    `The conformance suite is not at ${FOLDER}: skipped. REGO_CONFORMANCE_DIR names another place.\n`,
  );

(isThere ? describe : describe.skip)('the conformance suite', () => {
  const files = isThere ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : [];

  it.each(files)('passes %s', (name) => {
    const report = runSuite([{ category: name, text: readFileSync(join(FOLDER, name), 'utf8') }]);
    expect(report.categories[0]?.problems.filter((problem) => problem.status === 'failed')).toEqual([]);
  });
});
