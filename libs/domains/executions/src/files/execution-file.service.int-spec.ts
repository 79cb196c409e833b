import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { ExecutionFileService } from './execution-file.service.js';
import { MAX_FILES } from './execution-file.types.js';

const MIB = 1_048_576;
const firstPage = { skip: 0, limit: 100 };
const text = (content: string): Uint8Array => Buffer.from(content);

describe('ExecutionFileService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let files: ExecutionFileService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    files = context.get(ExecutionFileService);
  });

  afterAll(() => context.close());

  async function newExecution(): Promise<Scope & { readonly id: string }> {
    const scope = { organizationId: newId() };
    const { id } = await context.get(ExecutionService).create(scope, startRequest(newId()));
    return { ...scope, id };
  }

  const save = (run: Scope & { readonly id: string }, name: string, content: Uint8Array, token: string | null = null) =>
    files.save(run, run.id, { name, content, content_type: 'text/plain' }, token);

  it('stores files, replaces those of the same name, and lists them, newest first', async () => {
    const run = await newExecution();
    await save(run, 'reports/a.txt', text('first'));
    clock.advance(1);
    await save(run, 'b.bin', Uint8Array.of(0, 255, 13, 10));
    clock.advance(1);
    const replaced = await save(run, 'reports/a.txt', text('second'));
    expect(replaced).toEqual({ name: 'reports/a.txt', size: 6, content_type: 'text/plain', created_at: clock.now() });
    const { items, total } = await files.list(run, run.id, firstPage);
    expect([total, items[0], items.map(({ name }) => name)]).toEqual([2, replaced, ['reports/a.txt', 'b.bin']]);
    const { content } = await files.read(run, run.id, 'b.bin');
    expect([...content]).toEqual([0, 255, 13, 10]);
  });

  it.each(['', '/etc/passwd', '../up', 'a/../../up', 'a//b', './a', 'a/', 'a\u0000b', 'a\nb', 'x'.repeat(256)])(
    'rejects the name %j',
    async (name) => {
      const run = await newExecution();
      await expect(save(run, name, text('x'))).rejects.toMatchObject({ faults: [{ path: ['file_name'] }] });
    },
  );

  /** Inserts rows of files with the given size in their metadata, but without contents. */
  async function insertRows(run: Scope & { readonly id: string }, count: number, size: number): Promise<void> {
    await context.get(Database).sql(
      `INSERT INTO execution_files (organization_id, execution_id, name, size, content_type, content, created_at)
       SELECT $1, $2, 'file ' || n, $4, 'text/plain', '', now() FROM generate_series(1, $3) n`,
      [run.organizationId, run.id, count, size],
    );
  }

  it('limits the total size of the files of an execution, not counting a file that is replaced', async () => {
    const run = await newExecution();
    await insertRows(run, 5, 10 * MIB);
    const excess = { faults: [{ path: [], msg: expect.stringContaining('50 MiB') }] };
    await expect(save(run, 'another', text('x'))).rejects.toMatchObject(excess);
    await save(run, 'file 5', text('small'));
    await expect(save(run, 'another', text('x'))).resolves.toMatchObject({ size: 1 });
  });

  it('limits the number of files of an execution', async () => {
    const run = await newExecution();
    await insertRows(run, MAX_FILES, 0);
    await expect(save(run, 'another', text(''))).rejects.toMatchObject({ faults: [{ path: [] }] });
    await expect(save(run, 'file 1', text('x'))).resolves.toMatchObject({ size: 1 });
  });

  it('writes nothing with a stale lease token', async () => {
    const run = await newExecution();
    await expect(save(run, 'a', text('x'), 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await files.list(run, run.id, firstPage)).items).toEqual([]);
  });

  it('throws not_found for unknown executions and files, and for those of other organizations', async () => {
    const [run, other] = [await newExecution(), { organizationId: newId() }];
    await save(run, 'a', text('x'));
    await expect(files.list(other, run.id, firstPage)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(files.read(other, run.id, 'a')).rejects.toMatchObject({ code: 'execution_file_not_found' });
    await expect(files.read(run, run.id, 'b')).rejects.toMatchObject({ code: 'execution_file_not_found' });
    await expect(
      files.save(other, run.id, { name: 'a', content: text('x'), content_type: 'a/b' }, null),
    ).rejects.toMatchObject({
      code: 'execution_not_found',
    });
  });
});
