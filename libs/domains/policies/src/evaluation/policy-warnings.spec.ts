import { describe, expect, it } from '@jest/globals';
import { compile } from '@app/rego';
import { policyWarnings } from './policy-warnings.js';

const NOTHING = 'None of the rules allow, violations and deny is defined, so nothing is denied';

function warningsOf(rules: string): readonly string[] {
  const text = `package app\n\n${rules}\n`;
  compile([{ name: '', text }]);
  return policyWarnings(text);
}

describe('warnings of a policy', () => {
  it.each([
    ['violation contains {"msg": "no"} if input.x', 'violations instead of violation'],
    ['violation[{"msg": msg}] { msg := "no" }', 'violations instead of violation'],
    ['denied contains "no" if input.x', 'deny instead of denied'],
    ['Deny contains "no" if input.x', 'deny instead of Deny'],
    ['ALLOW if input.x', 'allow instead of ALLOW'],
    ['default allowed := false\nallowed if helper\nhelper if input.x', 'allow instead of allowed'],
    ['allows.all := true', 'allow instead of allows'],
  ])('name the rule that was probably meant: %s', (rules, meant) => {
    expect(warningsOf(rules)).toEqual([`${NOTHING}; did you mean ${meant}?`]);
  });

  it.each([
    ['', 'no rule'],
    ['warn contains "no" if input.x', 'a name unlike the others'],
    ['x := 1\nany_of(a) if a', 'short names'],
  ])('suggest nothing for %j: %s', (rules) => {
    expect(warningsOf(rules)).toEqual([NOTHING]);
  });

  it('report functions, which have no value, in place of rules', () => {
    expect(warningsOf('allow(x) if x')).toEqual(['allow is a function, not a rule, so everything is denied']);
    expect(warningsOf('allow := true\ndeny(x) := x')).toEqual(['deny is a function, not a rule, so it denies nothing']);
  });

  it.each(['allow := false', 'violations := []', 'default deny := false', 'deny[msg] { msg := "no" }', 'allow.x := 1'])(
    'are absent if a rule decides: %s',
    (rules) => expect(warningsOf(rules)).toEqual([]),
  );
});
