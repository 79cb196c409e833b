import { beforeEach, describe, expect, it } from '@jest/globals';
import { SlowOrganizations } from './slow-organizations.js';

describe('SlowOrganizations', () => {
  let now: number;
  let slow: SlowOrganizations;

  beforeEach(() => {
    now = 0;
    slow = new SlowOrganizations(() => now);
  });

  it('contains an organization while the time of its slow jobs, which decreases by 50 ms per second, exceeds 250 ms', () => {
    slow.note('a', 200);
    expect(slow.has('a')).toBe(false);
    slow.note('a', 150);
    expect(slow.has('a')).toBe(true);
    expect(slow.has('b')).toBe(false);
    now += 2_000;
    expect(slow.has('a')).toBe(false);
    slow.note('a', 10_000_000);
    now += 59_000;
    expect(slow.has('a')).toBe(true);
    now += 1_000;
    expect(slow.has('a')).toBe(false);
  });

  it('does not contain organizations with many short jobs', () => {
    for (let n = 0; n < 10_000; n += 1) slow.note('a', 49);
    expect(slow.has('a')).toBe(false);
  });

  it('removes organizations whose time has decreased to 0', () => {
    for (let n = 0; n < 100; n += 1) slow.note(`organization ${n}`, 100);
    now += 2_000;
    slow.note('a', 100);
    expect(slow['debts'].size).toBe(1);
  });
});
