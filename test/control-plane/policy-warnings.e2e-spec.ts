import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('policies that cannot decide', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  it('are named in X-Notice and in the warnings of a validation', async () => {
    const misnamed = 'package k8s\n\nviolation contains {"msg": "no"} if input.x\n';
    const warning =
      'None of the rules allow, violations and deny is defined, so nothing is denied; ' +
      'did you mean violations instead of violation?';
    const noticeOf = async (sent: Promise<HttpResponse>): Promise<string | null> => {
      const { status, headers } = await sent;
      expect([200, 201]).toContain(status);
      return headers.get('x-notice');
    };
    const created = await send('POST', '/policies', { name: 'Gatekeeper', policy_content: misnamed });
    expect(created).toMatchObject({ status: 201 });
    const notice = `Policy Gatekeeper: ${warning}`;
    expect(created.headers.get('x-notice')).toBe(notice);
    const { id } = created.body as { id: string };
    const path = `/policies/${id}`;
    expect(await noticeOf(send('PUT', path, { description: 'd' }))).toBe(notice);
    expect(await noticeOf(send('PATCH', path, { name: 'Türsteher' }))).toBe(`Policy ${id}: ${warning}`);
    expect(await send('POST', `${path}/validate`)).toMatchObject({
      status: 200,
      body: { valid: true, errors: [], warnings: [warning], result: null },
    });
    const draft = { policy_content: 'package p\n\nwarn contains "no" if input.x', input: { x: true } };
    expect((await send('POST', `${path}/validate`, draft)).body).toEqual({
      valid: true,
      errors: [],
      warnings: [warning.split(';')[0]],
      result: { allowed: true, violations: [] },
    });
    const agent = (await send('POST', '/agents', { name: 'a' })).body as Json;
    const joined = { entity_type: 'agent', entity_id: agent['id'], policy_id: id };
    const associated = await send('POST', '/policies/associations', joined);
    expect(associated.headers.get('x-notice')).toBe(`Policy ${id}: ${warning}`);
    const association = `/policies/associations/${(associated.body as Json)['id'] as string}`;
    expect(await noticeOf(send('PATCH', association, { enabled: true }))).toContain(warning);
    expect(await noticeOf(send('PUT', `/context/agent/${agent['id'] as string}`, { policy_ids: [id] }))).toContain(
      warning,
    );
    const project = { name: 'Guarded', key: `GUARD${Date.now()}`, policy_ids: [id] };
    expect(await noticeOf(send('POST', '/projects', project))).toContain(warning);
    expect(await noticeOf(send('PUT', path, { policy_content: 'package p\n\nallow if input.x' }))).toBeNull();
    expect(await noticeOf(send('PATCH', association, { enabled: true }))).toBeNull();
    expect(await noticeOf(send('POST', '/policies', { name: 'draft' }))).toBeNull();
  });
});
