import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PAGE_GROUPS } from '../shell/page-groups';
import { commandOf, KEY_GROUPS, neighbourOf, type Pending } from './map';

const ALL = KEY_GROUPS.flatMap(({ keys }) => keys);

describe('the keys', () => {
  it('have one meaning each, also as the first of two', () => {
    const keys = ALL.map(({ keys: one }) => one);
    expect(keys.filter((one, index) => keys.indexOf(one) !== index)).toEqual([]);
    const firsts = new Set(keys.filter((one) => /^. .$/.test(one)).map((one) => one.charAt(0)));
    expect(ALL.filter(({ keys: one, command }) => command !== undefined && firsts.has(one))).toEqual([]);
  });

  it('lead to pages that exist', () => {
    const paths = new Set<string>(PAGE_GROUPS.flatMap(({ pages }) => pages.map(({ to }) => to)));
    const targets = ALL.flatMap(({ command }) => (command?.kind === 'page' ? [command.to] : []));
    expect(targets.filter((to) => !paths.has(to))).toEqual([]);
  });

  it('are one, or two within a moment', () => {
    const first = commandOf(null, 'g', 1000);
    expect(first).toEqual({ pending: { key: 'g', at: 1000 }, command: null });
    expect(commandOf(first.pending, 'j', 2000)).toEqual({ pending: null, command: { kind: 'page', to: '/jobs' } });
    expect(commandOf(first.pending, 'j', 5000).command).toEqual({ kind: 'row', step: 1 });
    expect(commandOf(first.pending, 'z', 1001)).toEqual({ pending: null, command: null });
    expect(commandOf(null, 'j', 0).command).toEqual({ kind: 'row', step: 1 });
  });

  it('never wait for more than one further key', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('g', 'j', 'k', '?', 'z', 'o')), (pressed) => {
        let pending: Pending | null = null;
        for (const [index, key] of pressed.entries()) {
          const before: Pending | null = pending;
          const next = commandOf(before, key, index);
          if (before !== null || next.command !== null) expect(next.pending).toBeNull();
          ({ pending } = next);
        }
      }),
    );
  });
});

describe('the neighbour in a list', () => {
  it('is the next one, and none at the ends or for what is not in it', () => {
    const list = ['/a', '/b', '/c'];
    expect([neighbourOf(list, '/b', 1), neighbourOf(list, '/b', -1)]).toEqual(['/c', '/a']);
    expect([neighbourOf(list, '/a', -1), neighbourOf(list, '/c', 1), neighbourOf(list, '/z', 1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
