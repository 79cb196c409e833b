import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { migrations } from './index.js';

/** The digits a migration's name ends with; the framework orders migrations by them, whatever the list says. */
const numberOf = (name: string): number => Number(/\d{13}$/.exec(name)?.[0]);

describe('the migrations', () => {
  it('stand in the order in which they run: by number, each with one of its own', () => {
    const numbers = migrations.map(({ name }) => numberOf(name));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });

  it('are all that the folder holds', () => {
    const files = readdirSync(__dirname).filter((file) => /^\d{13}-[a-z-]+\.ts$/.test(file));
    expect(files.map((file) => Number(file.slice(0, 13)))).toEqual(migrations.map(({ name }) => numberOf(name)));
  });
});
