import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Contract, type ApiName, type Operation, type Schema } from '../support/contract.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

type Json = Record<string, unknown>;

/** One field that an update can write, of a resource that can be read at the same path. */
interface Writable {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly name: string;
  readonly schema: Schema;
}

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
/** Fields that no response contains, and those that the resource of the fixture, a manual job, cannot have. */
const WRITE_ONLY = ['PUT /api/v1/secrets/{secret_name} value', 'PATCH /api/v1/jobs/{job_id} webhook_secret'];
/** Reports of workers: they add to what the execution has. */
const REPORTS = ['PATCH /api/v1/executions/{execution_id}', 'PATCH /api/v1/executions/{execution_id}/steps'];
/** Valid values of texts with a form of their own. */
const TEXTS: Readonly<Record<string, string>> = {
  cron_schedule: '0 9 * * *',
  cron_timezone: 'Europe/Berlin',
  email: 'someone@example.com',
  avatar_url: 'https://example.com/a.png',
  url: 'http://127.0.0.1:9/changed',
  policy_content: 'package p\n\nallow := false\n',
  name: 'changed-name',
};

function propertiesOf(contract: Contract, schema: Schema): Record<string, Schema> {
  const own = contract.resolve(schema);
  const parts = ((own['allOf'] as Schema[] | undefined) ?? []).map((part) => propertiesOf(contract, part));
  return Object.assign({}, ...parts, own['properties'] ?? {}) as Record<string, Schema>;
}

const isAlias = ({ description }: Schema): boolean => String(description).startsWith('Alias of');

function writablesOf(api: ApiName, operation: Operation): Writable[] {
  const contract = Contract.of(api);
  const { method, path, body } = operation;
  const isRead = contract.operations.some((other) => other.method === 'GET' && other.path === path);
  const isReport = REPORTS.includes(`${method} ${path}`);
  if (!['PATCH', 'PUT'].includes(method) || body === undefined || !isRead || isReport) return [];
  return Object.entries(propertiesOf(contract, body))
    .filter(([, schema]) => !isAlias(schema))
    .map(([name, schema]) => ({ api, method, path, name, schema: notNull(contract, contract.resolve(schema)) }));
}

/** Returns the schema of the values of a field other than null. */
function notNull(contract: Contract, schema: Schema): Schema {
  const first = (schema['anyOf'] as Schema[] | undefined)?.find(({ type }) => type !== 'null');
  return first === undefined ? schema : contract.resolve(first);
}

const writables = APIS.flatMap((api) => Contract.of(api).operations.flatMap((one) => writablesOf(api, one))).filter(
  ({ method, path, name }) => !WRITE_ONLY.includes(`${method} ${path} ${name}`),
);

function typeOf({ type, allOf }: Schema): string {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return String(first ?? (allOf === undefined ? 'any' : 'object'));
}

/** Values of the documented type. Those that name something may be rejected. */
function samplesOf({ name, schema }: Writable): unknown[] {
  const values = (schema['enum'] as unknown[] | undefined)?.filter((value) => value !== null);
  if (values !== undefined) return values;
  switch (typeOf(schema)) {
    case 'boolean':
      return [false, true];
    case 'integer':
      return [Number(schema['minimum'] ?? 0) + 7, Math.min(Number(schema['maximum'] ?? 100), 100)];
    case 'array':
      return [[], ['one', 'two', 'one ']];
    case 'object':
      return [{}, { z: { a: [1, null, 'x'] }, a: 1.5 }];
    default:
      if (schema['format'] === 'date-time') return ['2026-03-01T12:00:00.000Z'];
      return [TEXTS[name] ?? ' Kept as \u00e9 sent\n', TEXTS[name] ?? 'changed'];
  }
}

describe('what an update answers with success', () => {
  let platform: Platform;
  let tenant: TenantFixture;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, (await platform.createOrganization('written')).adminKey);
  });

  afterAll(() => platform.stop());

  function send({ api, path }: Writable, method: string, body?: Json): Promise<HttpResponse> {
    const [url, scheme] =
      api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    return call(method, url + tenant.path(path), { key: tenant.key, scheme, ...(body === undefined ? {} : { body }) });
  }

  const valueOf = async (field: Writable): Promise<unknown> => ((await send(field, 'GET')).body as Json)[field.name];

  /** Checks that an empty value cleared the field, or that it kept the stored value and the response says so. */
  async function checkEmpty(field: Writable, sent: null | ''): Promise<void> {
    const before = await valueOf(field);
    const { status, headers } = await send(field, field.method, { [field.name]: sent });
    if (status !== 200) return;
    const after = await valueOf(field);
    const notice = headers.get('x-notice') ?? '';
    const type = typeOf(field.schema);
    if (sent === null && type === 'array') expect(after).toEqual([]);
    else if (sent === null && type === 'object' && before !== null) expect(after).toEqual({});
    else if (after !== null && after !== '') {
      expect(after).toEqual(before);
      // A status that only updates have is documented to stay.
      if (field.name !== 'status') expect(notice).toContain(field.name);
    }
  }

  it.each(writables.map((field) => [`${field.method} ${field.path}`, field.name, field] as const))(
    '%s reads back %s as it was sent, or as the documented form of an empty value',
    async (_operation, name, field) => {
      let accepted = 0;
      for (const sample of samplesOf(field)) {
        const { status } = await send(field, field.method, { [name]: sample });
        if (status !== 200) continue;
        accepted += 1;
        expect(await valueOf(field)).toEqual(sample);
      }
      if (accepted === 0) rejected.push(`${field.method} ${field.path} ${name}`);
      await checkEmpty(field, '');
      await checkEmpty(field, null);
    },
  );

  const rejected: string[] = [];

  it('is tried with a value that is accepted, for every field', () => {
    expect(rejected).toEqual([]);
  });
});
