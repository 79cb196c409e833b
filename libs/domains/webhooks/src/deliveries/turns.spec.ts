import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const PLACES = 128;
const PER_OWNER = 8;

/** Takes as many places as possible for an owner and returns their number. */
function fill(turns: Turns, owner: string): number {
  let places = 0;
  while (turns.acquire(owner)) places += 1;
  return places;
}

describe('Turns', () => {
  it('give a single owner its maximum, and another place after it released one', () => {
    const turns = new Turns(PLACES, PER_OWNER);
    expect(fill(turns, 'a')).toBe(PER_OWNER);
    turns.release('a');
    expect([turns.acquire('a'), turns.acquire('a')]).toEqual([true, false]);
  });

  it('leave places for a further owner after sixteen have taken as many as they can', () => {
    const turns = new Turns(PLACES, PER_OWNER);
    const taken = Array.from({ length: 16 }, (_owner, index) => fill(turns, `owner-${index}`));
    expect(taken.reduce((sum, places) => sum + places, 0)).toBeLessThan(PLACES);
    expect(turns.acquire('next')).toBe(true);
  });

  it('reduce the share of the first owners when they take places again', () => {
    const turns = new Turns(PLACES, PER_OWNER);
    const owners = Array.from({ length: 40 }, (_owner, index) => `owner-${index}`);
    for (const owner of owners) turns.acquire(owner);
    // Each has one place and takes as many as it can; one share remains free.
    const taken = owners.map((owner) => 1 + fill(turns, owner));
    expect(new Set(taken)).toEqual(new Set([3]));
    expect(taken.length * 3).toBeLessThan(PLACES);
  });

  it('give every owner one place, however many there are', () => {
    const turns = new Turns(PLACES, PER_OWNER);
    for (let owner = 0; owner < 1000; owner += 1) expect(turns.acquire(`owner-${owner}`)).toBe(true);
    for (let owner = 0; owner < 1000; owner += 1) expect(turns.acquire(`owner-${owner}`)).toBe(false);
  });
});
