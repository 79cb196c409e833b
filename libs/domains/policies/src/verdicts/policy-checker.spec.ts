import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig, PolicyConfig } from '@app/config';
import { DomainError } from '@app/kernel';
import { MAX_POLICY_CONTENT } from '../policies/policy.types.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { PolicyChecker } from './policy-checker.js';

const CONTENT = 'package app\n\nallow := true';
const SCOPE = { organizationId: 'o' };
const CONFIG = { ...loadConfig(PolicyConfig, {}), threads: 1 };

describe('PolicyChecker', () => {
  const pool = new EvaluationPool(CONFIG);
  const checker = new PolicyChecker(pool, CONFIG);
  afterAll(() => pool.onApplicationShutdown());

  it('rejects a text that does not compile, with the position, and accepts an empty one', async () => {
    await checker.check(SCOPE, CONTENT);
    await checker.check(SCOPE, '');
    await expect(checker.check(SCOPE, ' ')).rejects.toThrow(DomainError);
    await expect(checker.check(SCOPE, 'package app\n\nallow if x')).rejects.toThrow('line 3, column 10');
  });

  it('returns each fault of the text of a request, but none for a value that is not a string or is too long', async () => {
    const faults = await checker.requestFaults(SCOPE, 'package app\n\nallow if x\n\ndeny := y');
    expect(faults.map(({ msg }) => msg)).toEqual([
      'line 3, column 10: rego_unsafe_var_error: var x is unsafe',
      'line 5, column 9: rego_unsafe_var_error: var y is unsafe',
    ]);
    for (const policy_content of [CONTENT, '', null, undefined, 7, 'x'.repeat(MAX_POLICY_CONTENT + 1)]) {
      expect(await checker.requestFaults(SCOPE, policy_content)).toEqual([]);
    }
  });

  it('compiles a text that is within the limit in code points but exceeds it in UTF-16 code units', async () => {
    const content = `package app\n\nallow if x # ${'\u{1F600}'.repeat(MAX_POLICY_CONTENT / 2)}`;
    await expect(checker.check(SCOPE, content)).rejects.toThrow('line 3, column 10');
  });

  it('truncates the message of a fault', async () => {
    const rules = Array.from({ length: 200 }, (_, n) => `rule${n} if rule${(n + 1) % 200}`).join('\n');
    const [first] = await checker.requestFaults(SCOPE, `package app\n\n${rules}`);
    expect(first?.msg).toMatch(/^line 3, column 1: rego_recursion_error: rule data\.app\.rule0 is recursive: .*…$/);
    expect(first?.msg.length).toBeLessThan(600);
  });
});
