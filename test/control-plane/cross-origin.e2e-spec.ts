import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type CallOptions } from '../support/http.js';
import { CONSOLE_ORIGIN as CONSOLE, Platform } from '../support/platform.js';

describe('a cross-origin request', () => {
  let platform: Platform;
  let executionId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    const options = { key: platform.adminKey, body: { prompt: 'hello' } };
    const created = await call('POST', `${platform.url}/api/v1/executions/create`, options);
    executionId = (created.body as { execution_id: string }).execution_id;
  });
  afterAll(() => platform.stop());

  it('gets a readable response, errors included, if the origin is configured', async () => {
    const optionsFrom = (Origin: string): CallOptions => ({ body: { event_type: 'x' }, headers: { Origin } });
    const url = `${platform.url}/api/v1/executions/${executionId}/events`;
    const readableBy = async (options: CallOptions): Promise<(string | null)[]> => {
      const { headers } = await call('POST', url, options);
      return [headers.get('Access-Control-Allow-Origin'), headers.get('Vary')];
    };
    const ordinary = { 'Content-Encoding': 'identity' };
    for (const options of [optionsFrom(CONSOLE), { ...optionsFrom(CONSOLE), key: platform.adminKey }]) {
      expect(await readableBy(options)).toEqual([CONSOLE, 'Origin']);
      const headers = { ...options.headers, ...ordinary };
      expect(await readableBy({ ...options, headers })).toEqual([CONSOLE, 'Origin']);
    }
    expect(await readableBy(optionsFrom('https://elsewhere.example.com'))).toEqual([null, 'Origin']);
  });

  it('lets scripts read the headers of the API and of its routes', async () => {
    const response = await call('GET', `${platform.url}/api/v1/agents`, {
      key: platform.adminKey,
      headers: { Origin: CONSOLE },
    });
    const exposed = (response.headers.get('Access-Control-Expose-Headers') ?? '').split(',');
    const own = [
      'X-Request-Id',
      'X-Error-Code',
      'X-Total-Count',
      'X-Next-Cursor',
      'Idempotent-Replayed',
      'Retry-After',
      'ETag',
    ];
    const ofRoutes = ['X-Worker-Commands', 'X-Notice', 'X-Catalogue-Source', 'Age', 'Deprecation', 'Sunset', 'Link'];
    expect(exposed).toEqual(
      expect.arrayContaining([...own, 'WWW-Authenticate', 'Content-Disposition', 'X-Ignored-Fields', ...ofRoutes]),
    );
    expect(exposed.filter((name) => name.startsWith('X-RateLimit'))).toEqual([]);
  });

  it('is preceded by a preflight without a key that lists methods and headers', async () => {
    const { status, headers } = await call('OPTIONS', `${platform.url}/api/v1/executions/${executionId}`, {
      headers: {
        Origin: CONSOLE,
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'authorization,idempotency-key',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(CONSOLE);
    expect(headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
    expect(headers.get('Access-Control-Allow-Headers')).toBe('authorization,idempotency-key');
    expect(headers.get('X-Request-Id')).not.toBeNull();
  });
});
