import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { ExecutionsModule } from '@app/executions';
import { TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from '../policies.module.js';
import { PolicyService } from './policy.service.js';
import { PolicyValidationService } from './policy-validation.service.js';

const CONTENT = 'package app\n\nallow if input.ok\n\nviolations contains "no" if not input.ok\n';

describe('validating a policy', () => {
  let context: TestContext;
  let policies: PolicyService;
  let validations: PolicyValidationService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule]);
    policies = context.get(PolicyService);
    validations = context.get(PolicyValidationService);
  });

  afterAll(() => context.close());

  it('validates the stored text, without a result if there is no input', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    expect(await validations.validate(caller, id, {})).toEqual({ valid: true, errors: [], warnings: [], result: null });
  });

  it('returns every fault of a given text with its position, and does not change the stored text', async () => {
    const caller = testCaller();
    const created = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    const policy_content = 'package app\n\nallow if x == 1\ndeny if y\n';
    for (const input_data of [{}, { ok: true }]) {
      expect(await validations.validate(caller, created.id, { policy_content, input_data })).toEqual({
        valid: false,
        errors: [
          { code: 'rego_unsafe_var_error', message: 'var x is unsafe', line: 3, column: 10 },
          { code: 'rego_unsafe_var_error', message: 'var y is unsafe', line: 4, column: 9 },
        ],
        warnings: [],
        result: null,
      });
    }
    expect(await policies.read(caller, created.id)).toEqual(created);
  });

  it('truncates the message of a fault', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p' });
    const rules = Array.from({ length: 200 }, (_, n) => `rule${n} if rule${(n + 1) % 200}`).join('\n');
    const { errors } = await validations.validate(caller, id, { policy_content: `package app\n\n${rules}` });
    expect(errors[0]?.message).toMatch(/^rule data\.app\.rule0 is recursive: .*…$/);
    expect(errors.every(({ message }) => message.length < 600)).toBe(true);
  });

  it('evaluates the stored text on an input, even if the policy is disabled', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT, enabled: false });
    const allowed = await validations.validate(caller, id, { input_data: { ok: true } });
    expect(allowed.result).toMatchObject({ allowed: true, violations: [] });
    const denied = await validations.validate(caller, id, { input_data: {} });
    expect(denied.result).toMatchObject({ allowed: false, violations: ['no'] });
  });

  it('evaluates the given text, never the text of an earlier request', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    const resultOf = async (policy_content: string): Promise<unknown> =>
      (await validations.validate(caller, id, { policy_content, input_data: {} })).result;
    expect(await resultOf('package a\n\nallow := true')).toMatchObject({ allowed: true });
    expect(await resultOf('package a\n\nallow := false')).toMatchObject({ allowed: false });
    expect(await resultOf('package a\n\nallow := true')).toMatchObject({ allowed: true });
  });

  it('returns a fault for a policy without text', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'draft' });
    expect(await validations.validate(caller, id, { input_data: {} })).toMatchObject({
      valid: false,
      errors: [{ message: 'empty module', line: 1, column: 1 }],
    });
  });

  it('denies if the budget is exceeded', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p' });
    const policy_content = 'package a\n\nallow if count([1 | some _ in numbers.range(1, 10000000)]) > 0';
    const { result } = await validations.validate(caller, id, { policy_content, input_data: {} });
    expect(result?.allowed).toBe(false);
    expect(result?.violations).toEqual([expect.stringContaining('was stopped')]);
  });

  it('rejects policies of another organization', async () => {
    const { id } = await policies.create(testCaller(), { name: 'p' });
    await expect(validations.validate(testCaller(), id, {})).rejects.toThrow('Policy not found');
  });
});
