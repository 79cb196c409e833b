import { describe, expect, it } from '@jest/globals';
import { BudgetPerHolder, ByteBudget, CombinedBudget } from './byte-budget.js';

const busy = expect.objectContaining({ code: 'server_busy' });

describe('BudgetPerHolder', () => {
  it('limits each holder separately, and stores only holders that have reserved bytes', () => {
    const budgets = new BudgetPerHolder(100);
    budgets.of('a').take(100);
    expect(() => budgets.of('a').take(1)).toThrow(busy);
    expect(() => budgets.of('c').take(101)).toThrow(busy);
    budgets.of('b').take(60);
    expect(budgets.holders).toBe(2);
    budgets.of('a').give(100);
    budgets.of('b').give(0);
    expect(budgets.holders).toBe(1);
    budgets.of('a').take(100);
  });

  it('allows a holder without reserved bytes to release zero bytes', () => {
    const budgets = new BudgetPerHolder(100);
    budgets.of('a').give(0);
    expect(budgets.holders).toBe(0);
  });
});

describe('CombinedBudget', () => {
  it('reserves bytes in all budgets or in none', () => {
    const [wide, narrow] = [new ByteBudget(100), new ByteBudget(50)];
    const both = new CombinedBudget([wide, narrow]);
    expect(() => both.take(51)).toThrow(busy);
    expect([wide.isUnused, narrow.isUnused]).toEqual([true, true]);
    both.take(50);
    expect(() => wide.take(51)).toThrow(busy);
    both.give(50);
    expect([wide.isUnused, narrow.isUnused]).toEqual([true, true]);
  });
});
