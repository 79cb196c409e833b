import { describe, expect, it } from '@jest/globals';
import { requireAddress, withoutPassword } from './provision-error.js';

describe('withoutPassword', () => {
  it.each([
    ['postgres://user:hunter2@host:5432/db', 'postgres://user:***@host:5432/db'],
    ['redis://:hunter2@host:6379', 'redis://:***@host:6379'],
    ['redis://host:6379/1', 'redis://host:6379/1'],
    ['postgres://user@host/db?options=a:b@c', 'postgres://user@host/db?options=a:b@c'],
  ])('replaces the password of %s', (address, shown) => {
    expect(withoutPassword(address)).toBe(shown);
  });
});

describe('requireAddress', () => {
  const require = (address: string) => () =>
    requireAddress('DATABASE_URL', address, 'postgres://user:password@host/db');

  it.each(['postgres://h/db', 'postgresql://u:p@h:1/db'])('accepts %s', (address) => {
    expect(require(address)).not.toThrow();
  });

  it.each(['host:5432', 'mysql://h/db', 'hunter2'])('rejects %s without repeating it', (address) => {
    expect(require(address)).toThrow('DATABASE_URL is not a valid URL.');
  });
});
