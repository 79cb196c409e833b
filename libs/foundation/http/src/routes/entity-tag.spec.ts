import { describe, expect, it } from '@jest/globals';
import { acceptsVersion, ifMatchFaults } from './entity-tag.js';

const faultsOf = (header: string): string[] =>
  ifMatchFaults({ headers: { 'if-match': header } }).map(({ loc, type }) => `${loc.join('.')} ${type}`);

describe('an If-Match', () => {
  it.each(['*', ' * ', '"a"', 'W/"a"', '"a","b"', ' , "a" ,, W/"b" ,', '""', '"a,b"'])('can be %s', (header) => {
    expect(faultsOf(header)).toEqual([]);
  });

  it.each(['', ' ', ',', 'a', '"a', 'a"', '"a" "b"', '*, "a"', '"a", *', 'w/"a"', '"a\tb"', '"a"b'])(
    'cannot be %j',
    (header) => {
      expect(faultsOf(header)).toEqual(['header.If-Match string_pattern_mismatch']);
    },
  );

  it('is checked in a time that is proportional to its length', () => {
    expect(faultsOf(`${' ,'.repeat(8000)}x`)).toHaveLength(1);
    expect(faultsOf(`${'"'.repeat(16_000)}x`)).toHaveLength(1);
  });

  it.each([
    ['*', true],
    ['"1"', true],
    ['"0", "1"', true],
    ['"0"', false],
    ['W/"1"', false],
    ['"0,1"', false],
  ])('%s accepts version 1: %s', (header, isAccepted) => {
    expect(acceptsVersion(header, '1')).toBe(isAccepted);
  });
});
