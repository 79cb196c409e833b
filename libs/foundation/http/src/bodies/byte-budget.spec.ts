import { describe, expect, it } from '@jest/globals';
import { BudgetPerHolder, ByteBudget, CombinedBudget } from './byte-budget.js';

const busy = expect.objectContaining({ code: 'server_busy' });

describe('BudgetPerHolder', () => {
  it('limits each holder separately, and stores only holders that have reserved bytes', () => {
    const budgets = new BudgetPerHolder(100);
    budgets.of('a').reserve(100);
    expect(() => budgets.of('a').reserve(1)).toThrow(busy);
    expect(() => budgets.of('c').reserve(101)).toThrow(busy);
    budgets.of('b').reserve(60);
    expect(budgets.holders).toBe(2);
    budgets.of('a').release(100);
    budgets.of('b').release(0);
    expect(budgets.holders).toBe(1);
    budgets.of('a').reserve(100);
  });

  it('allows a holder without reserved bytes to release zero bytes', () => {
    const budgets = new BudgetPerHolder(100);
    budgets.of('a').release(0);
    expect(budgets.holders).toBe(0);
  });
});

describe('CombinedBudget', () => {
  it('reserves bytes in all budgets or in none', () => {
    const [wide, narrow] = [new ByteBudget(100), new ByteBudget(50)];
    const both = new CombinedBudget([wide, narrow]);
    expect(() => both.reserve(51)).toThrow(busy);
    expect([wide.isUnused, narrow.isUnused]).toEqual([true, true]);
    both.reserve(50);
    expect(() => wide.reserve(51)).toThrow(busy);
    both.release(50);
    expect([wide.isUnused, narrow.isUnused]).toEqual([true, true]);
  });
});
