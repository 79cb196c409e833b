import { describe, expect, it } from '@jest/globals';
import { asciiWords, rankOf, searchTerms } from './search-terms.js';

describe('searchTerms', () => {
  it('has one expression for each word, with special characters as literals', () => {
    const start = '(^|[^[:alnum:]])';
    expect(searchTerms(' re  not re ')).toEqual([`${start}re`, `${start}not`]);
    expect(searchTerms('a.b_(c) ä')).toEqual([`${start}a\\.b\\_\\(c\\)`, `${start}ä`]);
    expect(searchTerms('  ')).toEqual([]);
  });

  it('has the ASCII words in lower case', () => {
    expect(asciiWords(' Not a.B_(c) Ä not\u00e9 K\u212a ')).toEqual(['not', 'a.b_(c)']);
  });

  it('ranks a name that equals the text before names that begin with it, and these before others', () => {
    expect(['Notes', 'notes of A', 'Release notes'].map((name) => rankOf(name, ' notes'))).toEqual([0, 1, 2]);
  });
});
