import { describe, expect, it } from '@jest/globals';
import { requireAddress, withoutPassword } from './provision-error.js';

describe('an address that is shown', () => {
  it.each([
    ['postgres://user:hunter2@host:5432/db', 'postgres://user:***@host:5432/db'],
    ['redis://:hunter2@host:6379', 'redis://:***@host:6379'],
    ['redis://host:6379/1', 'redis://host:6379/1'],
    ['postgres://user@host/db?options=a:b@c', 'postgres://user@host/db?options=a:b@c'],
  ])('shows %s without its password', (address, shown) => {
    expect(withoutPassword(address)).toBe(shown);
  });
});

describe('an address that is required', () => {
  const require = (address: string) => () =>
    requireAddress('DATABASE_URL', address, 'postgres://user:password@host/db');

  it.each(['postgres://h/db', 'postgresql://u:p@h:1/db'])('may be %s', (address) => {
    expect(require(address)).not.toThrow();
  });

  it.each(['host:5432', 'mysql://h/db', 'hunter2'])('may not be %s, and is not repeated', (address) => {
    expect(require(address)).toThrow('DATABASE_URL is not an address of the expected kind.');
  });
});
