import { describe, expect, it } from '@jest/globals';
import { ADDRESSABLE_PATTERN, EXECUTION_ID_PATTERN, isUuid, newId } from './ids.js';

describe('texts that clients choose as segments of a path', () => {
  it.each(['.', '..'])('cannot be %s, which changes the path', (part) => {
    expect(EXECUTION_ID_PATTERN.test(part)).toBe(false);
    for (const text of [part, `a/${part}`, `${part}/b`, `a\n/${part}/b`])
      expect(ADDRESSABLE_PATTERN.test(text)).toBe(false);
  });

  it.each(['a', '...', '.a', 'a.', 'v1.2', '..a'])('can be %s', (part) => {
    expect(EXECUTION_ID_PATTERN.test(part)).toBe(true);
    for (const text of [part, `a/${part}`, `${part}/b`]) expect(ADDRESSABLE_PATTERN.test(text)).toBe(true);
  });

  it('have at most 128 characters as an execution id', () => {
    for (const start of ['a', '.a', '..', '...']) {
      expect(EXECUTION_ID_PATTERN.test(start.padEnd(128, '.'))).toBe(true);
      expect(EXECUTION_ID_PATTERN.test(start.padEnd(129, '.'))).toBe(false);
    }
  });

  it('can contain slashes anywhere, also consecutive ones', () => {
    for (const text of ['/', 'a/', '/a', 'a//b', 'a\nb/c', '😀/ä']) expect(ADDRESSABLE_PATTERN.test(text)).toBe(true);
  });
});

describe('isUuid', () => {
  it.each([
    newId(),
    newId().toUpperCase(),
    '00000000-0000-0000-0000-000000000000',
    '11111111-1111-1111-1111-111111111111',
    '12345678-1234-1234-1234-123456789012',
    'deadbeef-dead-beef-dead-beefdeadbeef',
  ])('accepts %s, of any version and variant', (text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    '',
    'x',
    '1111',
    `${newId()}0`,
    newId().replaceAll('-', ''),
    `{${newId()}}`,
    `${newId()}\n`,
    'g'.repeat(36),
  ])('rejects %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
