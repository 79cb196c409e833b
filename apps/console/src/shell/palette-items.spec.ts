import { describe, expect, it } from '@jest/globals';
import { RESOURCE_PATHS } from '../resource/resource';
import { matchingPages, pageOfKind } from './palette-items';

describe('what the palette offers', () => {
  it('are all pages at first, then those of which a word begins with the text', () => {
    expect(matchingPages('').length).toBeGreaterThan(10);
    expect(matchingPages('que').map(({ path }) => path)).toEqual(['/queues']);
    expect(matchingPages('WORKER').map(({ path }) => path)).toEqual(['/queues', '/workers']);
    expect(matchingPages('zzz')).toEqual([]);
  });

  it('are the pages of all resources', () => {
    const offered = new Set(matchingPages('').map(({ path }) => path));
    expect(RESOURCE_PATHS.filter((path) => !offered.has(path))).toEqual([]);
  });

  it('are things of kinds that have a page', () => {
    expect([pageOfKind('worker_queue'), pageOfKind('execution'), pageOfKind('other')]).toEqual([
      '/queues',
      '/executions',
      undefined,
    ]);
  });
});
