import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, PolicyConfig } from '@app/config';
import { OpaServer } from '../test-support/opa-server.js';
import { OpaEngine } from './opa-engine.js';
import { PolicyCompiler } from './policy-compiler.js';
import type { AppliedPolicy } from './policy.types.js';
import { VerdictService } from './verdict.service.js';
import type { JointVerdict, Question } from './verdict.types.js';

const question: Question = { input: { user: 'ann', bad: true }, at: new Date(0), seed: 's' };
/** Patient, so that a busy machine decides nothing. */
const CONFIG = { ...loadConfig(PolicyConfig, {}), maxMs: 10_000, maxTotalMs: 60_000 };
const ALLOWS = 'package a\n\nallow := true';
const DENIES = 'package a\n\nallow := true\n\ndeny contains "no"';

describe('policies evaluated by OPA', () => {
  let opa: OpaServer;
  beforeAll(async () => {
    opa = await OpaServer.start();
  });
  afterEach(() => {
    opa.broken = undefined;
    opa.asked.length = 0;
  });
  afterAll(() => opa.stop());

  const applied = (...contents: string[]): AppliedPolicy[] =>
    contents.map((policy_content, index) => ({
      ...{
        policy_id: `p${index}-${policy_content.length}`,
        policy_name: `policy ${index}`,
        version: 1,
        policy_content,
      },
      source: { entity_type: 'team' as const, entity_id: 't' },
    }));
  const verdicts = (config: Partial<PolicyConfig> = {}, token: string | null = null): VerdictService =>
    new VerdictService(new PolicyCompiler(), { ...CONFIG, ...config }, new OpaEngine({ url: opa.url, token }));
  const said = ({ allowed, violations, policies }: JointVerdict): unknown => ({
    ...{ allowed, violations, policies: policies.map(({ duration_ms: _took, ...rest }) => rest) },
  });

  it.each([
    ['a rule that allows', ALLOWS],
    ['a rule that is undefined', 'package a\n\nallow if input.user == "bob"'],
    ['a rule of another type', 'package a\n\nallow := "true"'],
    ['a set of violations', 'package a\n\nviolations contains input.user\n\nviolations contains {"msg": 1}'],
    ['a list that denies', 'package a\n\ndeny := ["b", "a"]'],
    ['a function', 'package a\n\nallow(x) if x\n\ndeny(x) if x'],
    ['no rule at all', 'package a'],
    ['the older grammar', 'package a\n\nallow { input.user == "ann" }\n\ndeny[msg] { input.bad; msg := "bad" }'],
    ['a package with odd names', 'package a["x-y"].data.b\n\nallow if data.a["x-y"].data.b.yes\n\nyes := true'],
    ['what is elsewhere in data', 'package a\n\nallow if not data.b\n\ndeny contains k if some k, _ in data'],
    ['a replaced document', 'package a\n\nallow if x with data.b as {"c": 1}\n\nx if data.b.c == 1'],
    [
      'fields with names that mean something',
      'package a\n\nallow if input.package.name == 1\n\ndeny contains "no" if not input.package',
    ],
    ['what does not compile', 'package a\n\nallow if x > 1'],
    ['what reaches out', 'package a\n\nallow if http.send({"url": "http://127.0.0.1"})'],
  ])('say what the platform itself says: %s', async (_what, content) => {
    const policies = applied(content);
    const service = verdicts();
    expect(said(await service.decide(policies, question))).toEqual(said(await service.decideAgain(policies, question)));
  });

  it.each([
    [
      'a builtin that some replacement elsewhere lets compile',
      'package a\n\nallow if http.send({"method": "get", "url": "http://127.0.0.1"}).status_code == 200\n\nunused if true with http.send as {}',
      'evaluation',
    ],
    ['a builtin that is always replaced', 'package a\n\nallow if http.send({}) == 1 with http.send as 1', null],
    ['a builtin inside a text', 'package a\n\nallow if $"{http.send({})}" == "1" with http.send as 1', null],
    ['the runtime', 'package a\n\nallow if opa.runtime() == {} with opa.runtime as {}', null],
    ['a name look-up', 'package a\n\nallow if net.lookup_ip_addr("a") with net.lookup_ip_addr as true', null],
    [
      'a schema that may refer to another address',
      'package a\n\nallow if json.match_schema({}, {"$ref": "#/definitions/a", "definitions": {"a": {}}})[0]',
      null,
    ],
    ['a schema that is only checked', 'package a\n\nallow if json.verify_schema({"type": "object"})[0]', null],
    [
      'a schema in an annotation',
      'package a\n\n# METADATA\n# schemas:\n#   - input: {"$ref": "http://127.0.0.1"}\nallow := true',
      null,
    ],
    ['data as a variable', 'package a\n\nallow if some data in [true]', null],
    ['data as an argument', 'package a\n\nallow if f({"x": true})\n\nf(data) := data.x', null],
  ])('are not sent, but evaluated by the platform, where they name %s', async (_what, content, failure) => {
    const { policies } = await verdicts().decide(applied(content), question);
    expect(policies).toMatchObject([{ allowed: failure === null, failure }]);
    expect(opa.asked).toEqual([]);
  });

  it('do not flow together, even of one package', async () => {
    const contents = ['package a\n\nsecret := 1\n\nallow := true', 'package a\n\nallow if not data.a.secret', DENIES];
    const { policies } = await verdicts().decide(applied(...contents), question);
    expect(policies.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });

  it('are put there once, and again when OPA has lost them', async () => {
    const policies = applied('package once\n\nallow := true');
    const service = verdicts();
    await service.decide(policies, question);
    await service.decide(policies, question);
    expect(opa.asked.map((asked) => asked.split('/')[2])).toEqual([
      'query',
      expect.stringMatching('policies'),
      'query',
      'query',
    ]);
    opa.forget();
    expect((await service.decide(policies, question)).allowed).toBe(true);
    expect(opa.ids).toHaveLength(1);
  });

  it('are not tried there before they are stored: what is put there stays', async () => {
    const [draft] = applied(DENIES);
    if (draft === undefined) throw new Error('there is one');
    const program = new PolicyCompiler().compileDraft(DENIES);
    expect(verdicts().tryDraft(draft, program, question)).toMatchObject({ allowed: false, violations: ['no'] });
    expect(opa.asked).toEqual([]);
  });

  it('bring their token, which no verdict tells', async () => {
    const { violations } = await verdicts({}, 'secret-token').decide(applied(DENIES), question);
    expect(opa.authorization).toBe('Bearer secret-token');
    expect(violations).toEqual(['no']);
  });

  it.each([
    [
      'answers an error',
      500,
      '{"code": "internal_error", "message": "secret input"}',
      'OPA answered 500 (internal_error)',
    ],
    ['answers no JSON', 200, '<html>', 'OPA could not be asked'],
    ['answers another shape', 200, '[]', 'OPA gave no answer to the query'],
    ['answers nothing', 200, 'null', 'OPA gave no answer to the query'],
    ['answers no rules', 200, '{"result": [{"answer": {}}]}', 'OPA gave no answer to the query'],
    [
      'answers rules of another shape',
      200,
      '{"result": [{"answer": {"agent_platform_marker": [true], "allow": [true], "violations": "", "deny": ""}}]}',
      'OPA gave no answer to the query',
    ],
    [
      'answers without the policy',
      200,
      '{"result": [{"answer": {"agent_platform_marker": [], "allow": [true], "violations": [], "deny": []}}]}',
      'OPA does not keep the policy',
    ],
    ['answers far too much', 200, `"${'x'.repeat(2_000_000)}"`, 'The answer of OPA is too large'],
    ['sends elsewhere', 307, '', 'OPA could not be asked'],
  ])('deny, and say so, when OPA %s', async (_what, status, body, words) => {
    opa.broken = (response) => response.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end(body);
    const { allowed, violations } = await verdicts().decide(applied(ALLOWS), question);
    expect({ allowed, violations }).toEqual({
      allowed: false,
      violations: [`Policy "policy 0" could not be evaluated: ${words}`],
    });
  });

  it('deny when OPA does not answer in time, and when nobody is there', async () => {
    opa.broken = () => undefined;
    const slow = await verdicts({ maxMs: 50 }).decide(applied(ALLOWS), question);
    expect(slow).toMatchObject({ allowed: false, policies: [{ failure: 'time' }] });
    const nobody = new OpaEngine({ url: 'http://127.0.0.1:1', token: null });
    const alone = new VerdictService(new PolicyCompiler(), CONFIG, nobody);
    const { violations } = await alone.decide(applied(ALLOWS), question);
    expect(violations).toEqual(['Policy "policy 0" could not be evaluated: OPA could not be asked']);
  });
});
