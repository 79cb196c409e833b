import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, of } from 'rxjs';
import { ListInterceptor } from './list.interceptor.js';
import { ReturnsList } from './returns.js';

class Row {
  readonly name!: string;
}

class Rows {
  @ReturnsList(Row, { maxItems: 2 })
  list(this: void): Row[] {
    return [];
  }
}

/** Returns the body and the headers of the response if the handler returns rows with these names. */
async function answer(names: readonly string[]): Promise<{ body: unknown; headers: Record<string, string> }> {
  const headers: Record<string, string> = {};
  const context = {
    getHandler: () => Rows.prototype.list,
    switchToHttp: () => ({
      getResponse: () => ({ setHeader: (name: string, value: string) => void (headers[name] = value) }),
    }),
  } as unknown as ExecutionContext;
  const rows = names.map((name) => ({ name }));
  const body = await firstValueFrom(new ListInterceptor().intercept(context, { handle: () => of(rows) }));
  return { body, headers };
}

describe('a list with maxItems', () => {
  it('returns all rows with their number and without a cursor', async () => {
    expect(await answer(['a', 'b'])).toEqual({
      body: [{ name: 'a' }, { name: 'b' }],
      headers: { 'X-Total-Count': '2' },
    });
    expect(await answer([])).toEqual({ body: [], headers: { 'X-Total-Count': '0' } });
  });

  it('rejects more rows than the document states', async () => {
    await expect(answer(['a', 'b', 'c'])).rejects.toMatchObject({
      code: 'related_data_too_large',
      message: 'The list would have more than 2 rows',
    });
  });
});
