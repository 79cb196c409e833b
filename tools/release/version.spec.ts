import { describe, expect, it } from '@jest/globals';
import { isNewer, isVersion } from './version.js';

describe('isVersion', () => {
  it('accepts releases and release candidates only', () => {
    expect(['1.2.3', '0.10.0', '1.0.0-rc.1'].filter(isVersion)).toHaveLength(3);
    const others = [
      'v1.2.3',
      '1.2',
      '1.2.3.4',
      '01.2.3',
      '1.2.3-beta',
      '1.2.3-rc',
      '1.2.3+build',
      '1.2.3\n',
      '',
      '--help',
    ];
    expect(others.filter(isVersion)).toEqual([]);
  });
});

describe('isNewer', () => {
  it('orders versions as Semantic Versioning does', () => {
    const ordered = ['0.1.0', '0.1.1', '0.2.0-rc.2', '0.2.0-rc.10', '0.2.0', '0.10.0', '1.0.0-rc.0', '1.0.0', '10.0.0'];
    for (const [place, version] of ordered.entries())
      expect(ordered.filter((other) => isNewer(version, other))).toEqual(ordered.slice(0, place));
  });
});
