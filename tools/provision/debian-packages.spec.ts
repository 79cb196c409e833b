import { describe, expect, it } from '@jest/globals';
import { libraryNames } from './debian-packages.js';

describe('libraryNames', () => {
  it('returns the libraries among the dependencies, except the C library', () => {
    const depends =
      'adduser, libatomic1 (>= 4.8), libc6 (>= 2.34), libjemalloc2 (>= 5.3), liblzf1 | liblzf2, libssl3:any\n';
    expect(libraryNames(depends)).toEqual(['libatomic1', 'libjemalloc2', 'liblzf1', 'liblzf2', 'libssl3']);
  });
});
