import { describe, expect, it } from '@jest/globals';
import { arrowsOf, placeSteps, STEP_SIZE, type GraphStep } from './step-layout';

const STEPS = [step('a'), step('b', ['a']), step('c', ['a', 'gone']), step('d', ['b', 'c'])];

describe('the graph of steps', () => {
  it('has an arrow to each step from those for which it waits', () => {
    expect(arrowsOf(STEPS)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'd'],
      ['c', 'd'],
    ]);
  });

  it('places each step to the right of those for which it waits, and none over another', () => {
    const placed = placeSteps(STEPS);
    const at = new Map(placed.map((one) => [one.name, one]));
    for (const [from, to] of arrowsOf(STEPS)) {
      expect((at.get(from)?.x ?? 0) + STEP_SIZE.width).toBeLessThan(at.get(to)?.x ?? 0);
    }
    const [b, c] = [at.get('b'), at.get('c')];
    expect(Math.abs((b?.y ?? 0) - (c?.y ?? 0))).toBeGreaterThanOrEqual(STEP_SIZE.height);
    expect(Math.min(...placed.map(({ x, y }) => Math.min(x, y)))).toBeGreaterThanOrEqual(0);
  });
});

function step(name: string, before: readonly string[] = []): GraphStep {
  return { name, detail: 'prompt', status: null, before };
}
