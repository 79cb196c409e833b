import { describe, expect, it } from '@jest/globals';
import { serializeError } from './serialize-error.js';

const SECRET = 'whsec_c2VjcmV0';

/** An error as the driver of PostgreSQL throws it. */
function driverError(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

/** The properties of TypeORM's error of this name, which this lib does not import. */
class QueryFailedError extends Error {
  constructor(
    readonly query: string,
    readonly parameters: readonly unknown[],
    readonly driverError: Error,
  ) {
    super(driverError.message);
    Object.assign(this, driverError);
  }
}

describe('serializeError', () => {
  it('leaves out the parameters and the driver error of a failed statement', () => {
    const cause = driverError('duplicate key value violates unique constraint "uq_jobs"', {
      code: '23505',
      constraint: 'uq_jobs',
      table: 'jobs',
      detail: `Key (webhook_token)=(${SECRET}) already exists.`,
      where: `unnamed portal parameter $1 = '${SECRET}'`,
    });
    const error = new QueryFailedError('INSERT INTO jobs VALUES ($1)', [SECRET], cause);
    const serialized = serializeError(error);
    expect(serialized).toEqual({
      type: 'QueryFailedError',
      message: 'duplicate key value violates unique constraint "uq_jobs"',
      stack: expect.stringContaining('Error: duplicate key'),
      code: '23505',
      constraint: 'uq_jobs',
      table: 'jobs',
      query: 'INSERT INTO jobs VALUES ($1)',
    });
    expect(JSON.stringify(serialized)).not.toContain(SECRET);
  });

  it.each([
    ['22P02', `invalid input syntax for type uuid: "${SECRET}"`],
    ['22P02', `invalid input syntax for type uuid: "a"b${SECRET}"`],
    ['22003', `value "${SECRET}" is out of range for type integer`],
    ['22007', `invalid value "x\n${SECRET}" for "YYYY"`],
  ])('removes the value from the message and the stack of a data exception: %s %s', (code, message) => {
    const serialized = serializeError(new QueryFailedError('SELECT $1', [SECRET], driverError(message, { code })));
    expect(serialized).toMatchObject({ code, message: expect.stringContaining('"[redacted]"') });
    expect(JSON.stringify(serialized)).not.toContain(SECRET);
  });

  it('does the same for causes and the errors of an aggregate', () => {
    const inner = driverError(`invalid input syntax for type uuid: "${SECRET}"`, { code: '22P02', detail: SECRET });
    const outer = new Error('not stored', { cause: new AggregateError([inner], 'all failed') });
    const serialized = serializeError(outer);
    expect(serialized).toMatchObject({
      message: 'not stored',
      cause: { message: 'all failed', aggregate_errors: [{ code: '22P02' }] },
    });
    expect(JSON.stringify(serialized)).not.toContain(SECRET);
  });

  it('leaves out the command of a failed Redis request', () => {
    const error = driverError('WRONGTYPE Operation against a key', { command: { name: 'set', args: ['k', SECRET] } });
    expect(JSON.stringify(serializeError(error))).not.toContain(SECRET);
  });

  it('ends at an error that is its own cause', () => {
    const error = new Error('circular');
    error.cause = error;
    expect(JSON.stringify(serializeError(error)).length).toBeLessThan(50_000);
  });

  it('returns a value that is not an error unchanged', () => {
    expect(['text', 7, null, undefined].map(serializeError)).toEqual(['text', 7, null, undefined]);
  });
});
