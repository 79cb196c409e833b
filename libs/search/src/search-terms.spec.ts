import { describe, expect, it } from '@jest/globals';
import { rankOf, searchTerms } from './search-terms.js';

describe('searchTerms', () => {
  it('has one expression for each word, with special characters as literal ones', () => {
    const start = '(^|[^[:alnum:]])';
    expect(searchTerms(' re  not re ')).toEqual([`${start}re`, `${start}not`]);
    expect(searchTerms('a.b_(c) ä')).toEqual([`${start}a\\.b\\_\\(c\\)`, `${start}ä`]);
    expect(searchTerms('  ')).toEqual([]);
  });

  it('ranks the name itself before names that begin with the text, and those before others', () => {
    expect(['Notes', 'notes of A', 'Release notes'].map((name) => rankOf(name, ' notes'))).toEqual([0, 1, 2]);
  });
});
