import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { numberOf } from './history.js';
import { migrations } from './index.js';

describe('the migrations', () => {
  it('are listed in the order in which they run: by unique number', () => {
    const numbers = migrations.map(({ name }) => numberOf(name));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });

  it('include every file of the folder', () => {
    const files = readdirSync(__dirname).filter((file) => /^\d{13}-[a-z-]+\.ts$/.test(file));
    expect(files.map((file) => Number(file.slice(0, 13)))).toEqual(migrations.map(({ name }) => numberOf(name)));
  });
});
