import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from './policies.module.js';
import { PolicyCompiler } from './policy-compiler.js';
import { PolicyService } from './policy.service.js';
import { PolicyValidationService } from './policy-validation.service.js';

const CONTENT = 'package app\n\nallow if input.ok\n\nviolations contains "no" if not input.ok\n';

describe('looking at a policy before it counts', () => {
  let context: TestContext;
  let policies: PolicyService;
  let validations: PolicyValidationService;

  beforeAll(async () => {
    context = await createTestContext([PoliciesModule]);
    policies = context.get(PolicyService);
    validations = context.get(PolicyValidationService);
  });

  afterAll(() => context.close());

  it('says of the stored text that it compiles, and without an input no more', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    expect(await validations.validate(caller, id, {})).toEqual({ valid: true, errors: [], result: null });
  });

  it('tells every fault of a text that is not stored, with its place, and leaves the stored one alone', async () => {
    const caller = testCaller();
    const made = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    const policy_content = 'package app\n\nallow if x == 1\ndeny if y\n';
    for (const input_data of [{}, { ok: true }]) {
      expect(await validations.validate(caller, made.id, { policy_content, input_data })).toEqual({
        valid: false,
        errors: [
          { code: 'rego_unsafe_var_error', message: 'var x is unsafe', line: 3, column: 10 },
          { code: 'rego_unsafe_var_error', message: 'var y is unsafe', line: 4, column: 9 },
        ],
        result: null,
      });
    }
    expect(await policies.read(caller, made.id)).toEqual(made);
  });

  it('keeps the message of a fault short', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p' });
    const rules = Array.from({ length: 200 }, (_, n) => `rule${n} if rule${(n + 1) % 200}`).join('\n');
    const { errors } = await validations.validate(caller, id, { policy_content: `package app\n\n${rules}` });
    expect(errors[0]?.message).toMatch(/^rule data\.app\.rule0 is recursive: .*…$/);
    expect(errors.every(({ message }) => message.length < 600)).toBe(true);
  });

  it('tries the stored text against an input, also when the policy is switched off', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT, enabled: false });
    const allowed = await validations.validate(caller, id, { input_data: { ok: true } });
    expect(allowed.result).toMatchObject({ allowed: true, violations: [] });
    const denied = await validations.validate(caller, id, { input_data: {} });
    expect(denied.result).toMatchObject({ allowed: false, violations: ['no'] });
  });

  it('tries each text that is sent, and never what was sent before', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    const says = async (policy_content: string): Promise<unknown> =>
      (await validations.validate(caller, id, { policy_content, input_data: {} })).result;
    expect(await says('package a\n\nallow := true')).toMatchObject({ allowed: true });
    expect(await says('package a\n\nallow := false')).toMatchObject({ allowed: false });
    expect(await says('package a\n\nallow := true')).toMatchObject({ allowed: true });
  });

  it('leaves what decisions use alone, however many texts are tried', async () => {
    const caller = testCaller();
    const compiler = context.get(PolicyCompiler);
    const { id } = await policies.create(caller, { name: 'p', policy_content: CONTENT });
    const program = compiler.compile(id, 1, CONTENT);
    for (let n = 0; n < 25; n += 1) {
      const policy_content = `package a\n\nallow := ${n}`.padEnd(60_000);
      await validations.validate(caller, id, { policy_content, input_data: {} });
    }
    expect(compiler.compile(id, 1, CONTENT)).toBe(program);
  });

  it('says of a policy without a text that it is none', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'draft' });
    expect(await validations.validate(caller, id, { input_data: {} })).toMatchObject({
      valid: false,
      errors: [{ message: 'empty module', line: 1, column: 1 }],
    });
  });

  it('denies in a trial what takes more than its budget', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'p' });
    const policy_content = 'package a\n\nallow if count([1 | some _ in numbers.range(1, 10000000)]) > 0';
    const { result } = await validations.validate(caller, id, { policy_content, input_data: {} });
    expect(result?.allowed).toBe(false);
    expect(result?.violations).toEqual([expect.stringContaining('was stopped')]);
  });

  it('is not for policies of another organisation', async () => {
    const { id } = await policies.create(testCaller(), { name: 'p' });
    await expect(validations.validate(testCaller(), id, {})).rejects.toThrow('Policy not found');
  });
});
