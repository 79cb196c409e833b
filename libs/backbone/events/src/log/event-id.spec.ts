import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatEventId, parseEventId } from './event-id.js';

const executionId = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/);

describe('event ids', () => {
  it('are parsed to the values from which they were formatted, for any execution id', () => {
    const counter = fc.integer({ min: 1, max: 999_999_999 });
    const micros = fc.integer({ min: 0, max: 9_999_999_999_999 });
    fc.assert(
      fc.property(executionId, counter, micros, (execution, n, t) => {
        const id = { counter: n, micros: t };
        expect(parseEventId(execution, formatEventId(execution, id))).toEqual(id);
      }),
    );
  });

  it('of another execution are parsed as null, even if one execution id is a prefix of the other', () => {
    expect(parseEventId('run', 'run_1_2_3')).toBeNull();
    expect(parseEventId('run_1', 'run_1_2_3')).toEqual({ counter: 2, micros: 3 });
    expect(parseEventId('run', 'nur_1_2')).toBeNull();
  });

  it.each([
    '',
    'run',
    'run_',
    'run_1',
    'run_0_5',
    'run_01_5',
    'run_1_5 ',
    'run_-1_5',
    'run_1e3_5',
    'run_1_99999999999999999999',
  ])('reject %j', (text) => expect(parseEventId('run', text)).toBeNull());
});
