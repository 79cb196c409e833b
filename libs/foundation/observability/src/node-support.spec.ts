import { describe, expect, it } from '@jest/globals';
import type { Logger } from './logger.js';
import { warnOfNodeVersion } from './node-support.js';

describe('warnOfNodeVersion', () => {
  const warnings = (version: string, now: string): string[] => {
    const messages: string[] = [];
    warnOfNodeVersion({ warn: (text: string) => messages.push(text) } as unknown as Logger, version, new Date(now));
    return messages;
  };

  it('warns from the day after the last security fixes', () => {
    expect(warnings('20.20.2', '2026-04-30T23:59:59Z')).toEqual([]);
    expect(warnings('20.20.2', '2026-05-01T00:00:00Z')).toEqual([
      'Node 20.20.2 has received no security fixes since 2026-04-30; use Node 24 or 26',
    ]);
  });

  it('does not warn of versions that it does not know', () => {
    expect(warnings('28.0.0', '2040-01-01T00:00:00Z')).toEqual([]);
  });
});
