import { describe, expect, it } from '@jest/globals';
import { libraryNames, versionNames } from './debian-packages.js';

describe('libraryNames', () => {
  it('returns the libraries among the dependencies, except the C library', () => {
    const depends =
      'adduser, libatomic1 (>= 4.8), libc6 (>= 2.34), libjemalloc2 (>= 5.3), liblzf1 | liblzf2, libssl3:any\n';
    expect(libraryNames(depends)).toEqual(['libatomic1', 'libjemalloc2', 'liblzf1', 'liblzf2', 'libssl3']);
  });
});

describe('versionNames', () => {
  it('returns the versions that a package stands for, and nothing else that it depends on', () => {
    const depends = 'postgresql-15, postgresql-client-15, postgresql-common (>= 241~), postgresql-plpython3-15\n';
    expect(versionNames(depends, ['postgresql', 'postgresql-client'])).toEqual([
      'postgresql-15',
      'postgresql-client-15',
    ]);
  });
});
