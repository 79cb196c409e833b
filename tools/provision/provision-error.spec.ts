import { describe, expect, it } from '@jest/globals';
import { withoutPassword } from './provision-error.js';

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
