import { describe, expect, it } from '@jest/globals';
import { parseTraceSearch, parseTracesSearch } from './traces.search';

describe('the address of the traces', () => {
  it('keeps known filters and drops the rest', () => {
    const search = { status: 'error', service: 'shop', search: 'pay', execution: '', other: 'x' };
    expect(parseTracesSearch(search)).toEqual({ status: 'error', service: 'shop', search: 'pay' });
    expect(parseTracesSearch({ status: 'lost' })).toEqual({});
  });

  it('of one keeps a window only if it is one', () => {
    expect(parseTraceSearch({ sel: 'a1', t0: '10', t1: '20' })).toEqual({ sel: 'a1', t0: '10', t1: '20' });
    expect(parseTraceSearch({ t0: '20', t1: '10' })).toEqual({});
    expect(parseTraceSearch({ idle: 'fold', sel: '' })).toEqual({ idle: 'fold' });
    expect(parseTraceSearch({ idle: 'no' })).toEqual({});
    expect(parseTraceSearch({ t0: '-1', t1: 'x' })).toEqual({});
  });
});
