import { describe, expect, it } from '@jest/globals';
import { ADDRESSABLE_PATTERN, EXECUTION_ID_PATTERN } from './ids.js';

describe('what clients choose as a part of an address', () => {
  it.each(['.', '..'])('is not %s, which names another address', (part) => {
    expect(EXECUTION_ID_PATTERN.test(part)).toBe(false);
    for (const text of [part, `a/${part}`, `${part}/b`, `a\n/${part}/b`])
      expect(ADDRESSABLE_PATTERN.test(text)).toBe(false);
  });

  it.each(['a', '...', '.a', 'a.', 'v1.2', '..a'])('may be %s', (part) => {
    expect(EXECUTION_ID_PATTERN.test(part)).toBe(true);
    for (const text of [part, `a/${part}`, `${part}/b`]) expect(ADDRESSABLE_PATTERN.test(text)).toBe(true);
  });
});
