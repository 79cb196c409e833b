import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, PolicyConfig } from '@app/config';
import { compile } from '@app/rego';
import { FakeOpaServer } from '@app/testing';
import { OpaEngine } from './opa-engine.js';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { TrialService } from './trial.service.js';
import { VerdictService } from './verdict.service.js';
import type { CombinedVerdict, EvaluationRequest } from '../evaluation/verdict.types.js';

const request: EvaluationRequest = { input: { user: 'ann', bad: true }, at: new Date(0), seed: 's' };
/** Limits that are not exceeded even on a busy machine. */
const CONFIG = { ...loadConfig(PolicyConfig, {}), maxMs: 10_000, maxTotalMs: 60_000 };
const SCOPE = { organizationId: 'o' };
const ALLOWS = 'package a\n\nallow := true';
const DENIES = 'package a\n\nallow := true\n\ndeny contains "no"';

describe('with an OPA server, policies', () => {
  let opa: FakeOpaServer;
  beforeAll(async () => {
    opa = await FakeOpaServer.start(compile);
  });
  afterEach(() => {
    opa.respondWith = undefined;
    opa.requests.length = 0;
  });
  const pool = new EvaluationPool(CONFIG);
  afterAll(() => pool.onApplicationShutdown());
  afterAll(() => opa.stop());

  const applied = (...contents: string[]): AppliedPolicy[] =>
    contents.map((policy_content, index) => ({
      ...{
        policy_id: `p${index}-${policy_content}`,
        policy_name: `policy ${index}`,
        version: 1,
        policy_content,
      },
      source: { entity_type: 'team' as const, entity_id: 't' },
      sources: [],
    }));
  const verdicts = (config: Partial<PolicyConfig> = {}, token: string | null = null): VerdictService =>
    new VerdictService(pool, { ...CONFIG, ...config }, new OpaEngine({ url: opa.url, token }));
  const withoutDurations = ({ allowed, violations, policies }: CombinedVerdict): unknown => ({
    ...{ allowed, violations, policies: policies.map(({ duration_ms: _durationMs, ...rest }) => rest) },
  });

  it.each([
    ['a rule that allows', ALLOWS],
    ['a rule that is undefined', 'package a\n\nallow if input.user == "bob"'],
    ['a rule that is not a boolean', 'package a\n\nallow := "true"'],
    ['a set of violations', 'package a\n\nviolations contains input.user\n\nviolations contains {"msg": 1}'],
    ['a list that denies', 'package a\n\ndeny := ["b", "a"]'],
    ['a function', 'package a\n\nallow(x) if x\n\ndeny(x) if x'],
    ['no rule at all', 'package a'],
    ['the grammar of Rego v0', 'package a\n\nallow { input.user == "ann" }\n\ndeny[msg] { input.bad; msg := "bad" }'],
    ['a package with quoted names', 'package a["x-y"].data.b\n\nallow if data.a["x-y"].data.b.yes\n\nyes := true'],
    ['other parts of data', 'package a\n\nallow if not data.b\n\ndeny contains k if some k, _ in data'],
    ['a replaced document', 'package a\n\nallow if x with data.b as {"c": 1}\n\nx if data.b.c == 1'],
    [
      'fields named like keywords',
      'package a\n\nallow if input.package.name == 1\n\ndeny contains "no" if not input.package',
    ],
    ['a compile error', 'package a\n\nallow if x > 1'],
    ['a builtin with network access', 'package a\n\nallow if http.send({"url": "http://127.0.0.1"})'],
  ])('have the same verdict as without the server: %s', async (_case, content) => {
    const policies = applied(content);
    const service = verdicts();
    expect(withoutDurations(await service.decide(SCOPE, policies, request))).toEqual(
      withoutDurations(await service.replay(SCOPE, policies, request)),
    );
  });

  it.each([
    [
      'a builtin that is replaced in another rule only',
      'package a\n\nallow if http.send({"method": "get", "url": "http://127.0.0.1"}).status_code == 200\n\nunused if true with http.send as {}',
      'evaluation',
    ],
    ['a builtin that is always replaced', 'package a\n\nallow if http.send({}) == 1 with http.send as 1', null],
    ['a builtin in a template string', 'package a\n\nallow if $"{http.send({})}" == "1" with http.send as 1', null],
    ['the runtime', 'package a\n\nallow if opa.runtime() == {} with opa.runtime as {}', null],
    ['a DNS lookup', 'package a\n\nallow if net.lookup_ip_addr("a") with net.lookup_ip_addr as true', null],
    [
      'a schema that can refer to a URL',
      'package a\n\nallow if json.match_schema({}, {"$ref": "#/definitions/a", "definitions": {"a": {}}})[0]',
      null,
    ],
    ['a schema that is only verified', 'package a\n\nallow if json.verify_schema({"type": "object"})[0]', null],
    [
      'a schema in an annotation',
      'package a\n\n# METADATA\n# schemas:\n#   - input: {"$ref": "http://127.0.0.1"}\nallow := true',
      null,
    ],
    ['data as a variable', 'package a\n\nallow if some data in [true]', null],
    ['data as an argument', 'package a\n\nallow if f({"x": true})\n\nf(data) := data.x', null],
  ])('are evaluated by the platform if they mention %s', async (_case, content, failure) => {
    const { policies } = await verdicts().decide(SCOPE, applied(content), request);
    expect(policies).toMatchObject([{ allowed: failure === null, failure }]);
    expect(opa.requests).toEqual([]);
  });

  it('are isolated, even if they have the same package', async () => {
    const contents = ['package a\n\nsecret := 1\n\nallow := true', 'package a\n\nallow if not data.a.secret', DENIES];
    const { policies } = await verdicts().decide(SCOPE, applied(...contents), request);
    expect(policies.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });

  it('are uploaded once, and once more after OPA has lost them', async () => {
    const policies = applied('package once\n\nallow := true');
    const service = verdicts();
    await service.decide(SCOPE, policies, request);
    await service.decide(SCOPE, policies, request);
    expect(opa.requests.map((line) => line.split('/')[2])).toEqual([
      'query',
      expect.stringMatching('policies'),
      'query',
      'query',
    ]);
    opa.deleteAll();
    expect((await service.decide(SCOPE, policies, request)).allowed).toBe(true);
    expect(opa.moduleIds).toHaveLength(1);
  });

  it('are not uploaded as drafts, because OPA would keep them', async () => {
    const evaluated = await new TrialService(pool, CONFIG).evaluate(
      SCOPE,
      { name: 'draft', content: DENIES },
      request,
      false,
    );
    expect(evaluated.verdict).toMatchObject({ allowed: false, violations: ['no'] });
    expect(opa.requests).toEqual([]);
  });

  it('are sent with the token, which is not part of the verdict', async () => {
    const { violations } = await verdicts({}, 'secret-token').decide(SCOPE, applied(DENIES), request);
    expect(opa.authorization).toBe('Bearer secret-token');
    expect(violations).toEqual(['no']);
  });

  it.each([
    [
      'returns an error',
      500,
      '{"code": "internal_error", "message": "secret input"}',
      'OPA returned status 500 (internal_error)',
    ],
    ['returns no JSON', 200, '<html>', 'the request to OPA failed'],
    ['returns another type', 200, '[]', 'OPA returned an unexpected response'],
    ['returns null', 200, 'null', 'OPA returned an unexpected response'],
    ['returns no rules', 200, '{"result": [{"answer": {}}]}', 'OPA returned an unexpected response'],
    [
      'returns rules of another type',
      200,
      '{"result": [{"answer": {"agent_platform_marker": [true], "allow": [true], "violations": "", "deny": ""}}]}',
      'OPA returned an unexpected response',
    ],
    [
      'does not keep the policy',
      200,
      '{"result": [{"answer": {"agent_platform_marker": [], "allow": [true], "violations": [], "deny": []}}]}',
      'OPA did not keep the uploaded policy',
    ],
    ['returns too much', 200, `"${'x'.repeat(2_000_000)}"`, 'the response of OPA is too large'],
    ['redirects', 307, '', 'the request to OPA failed'],
  ])('deny with the reason when OPA %s', async (_case, status, body, reason) => {
    opa.respondWith = (response) => response.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end(body);
    const { allowed, violations } = await verdicts().decide(SCOPE, applied(ALLOWS), request);
    expect({ allowed, violations }).toEqual({
      allowed: false,
      violations: [`Policy "policy 0" could not be evaluated: ${reason}`],
    });
  });

  it('deny when OPA does not respond in time or is unreachable', async () => {
    opa.respondWith = () => undefined;
    const slow = await verdicts({ maxMs: 50 }).decide(SCOPE, applied(ALLOWS), request);
    expect(slow).toMatchObject({ allowed: false, policies: [{ failure: 'time' }] });
    const unreachable = new OpaEngine({ url: 'http://127.0.0.1:1', token: null });
    const service = new VerdictService(pool, CONFIG, unreachable);
    const { violations } = await service.decide(SCOPE, applied(ALLOWS), request);
    expect(violations).toEqual(['Policy "policy 0" could not be evaluated: the request to OPA failed']);
  });
});
