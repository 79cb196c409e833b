import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { graphFaults } from './graph-faults.js';
import { stepFaults } from './step-faults.js';
import type { UncheckedStep } from './workflow-step.js';

/** The ways in which a client can write the use of a step. */
const USES: readonly ((name: string) => UncheckedStep)[] = [
  (name) => ({ depends_on: [name] }),
  (name) => ({ prompt: `of {{ steps.${name}.output }}` }),
  (name) => ({ tool: { server: 's', name: 't', arguments: { a: [{ b: `{{steps.${name}.output.field}}` }] } } }),
  (name) => ({ when: { step: name, exists: true } }),
];

interface Graph {
  readonly size: number;
  /** Each edge: from, to, and the index of the way in `USES`. */
  readonly edges: readonly (readonly [number, number, number])[];
}

const graphs = fc.integer({ min: 1, max: 8 }).chain((size) => {
  const index = fc.integer({ min: 0, max: size - 1 });
  const edge = fc.tuple(index, index, fc.integer({ min: 0, max: USES.length - 1 }));
  return fc.record({ size: fc.constant(size), edges: fc.array(edge, { maxLength: 14 }) });
});

/** Returns the steps of a graph. A step keeps all its uses in `depends_on`, but only the first of each other kind. */
function stepsOf({ size, edges }: Graph): { steps: UncheckedStep[]; used: boolean[][] } {
  const used = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const steps = Array.from({ length: size }, (_step, index): UncheckedStep => ({ name: `s${index}`, depends_on: [] }));
  const taken = new Set<string>();
  for (const [from, to, way] of edges) {
    const step = steps[from] ?? {};
    const key = way === 0 ? `${from}:${to}` : `${from}:${way}`;
    if (taken.has(key)) continue;
    taken.add(key);
    const use = USES[way]?.(`s${to}`) ?? {};
    const dependsOn = [...(step.depends_on as string[]), ...((use.depends_on as string[] | undefined) ?? [])];
    steps[from] = { ...step, ...use, depends_on: dependsOn };
    (used[from] ?? [])[to] = true;
  }
  return { steps, used };
}

/** Returns which steps are on a cycle, computed with the transitive closure. */
function onCycle(used: readonly (readonly boolean[])[]): boolean[] {
  const reach = used.map((row) => [...row]);
  for (const via of reach.keys())
    for (const row of reach) if (row[via] === true) reach[via]?.forEach((is, to) => (row[to] ||= is));
  return reach.map((row, index) => row[index] === true);
}

const cyclesOf = (steps: readonly UncheckedStep[]): string[][] =>
  graphFaults(steps).map(({ msg }) => (msg.split('cycle: ')[1] ?? '').split(' → '));

describe('the faults of a graph', () => {
  it('contain a cycle if and only if a naive search finds a step that depends on itself', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { steps, used } = stepsOf(graph);
        const cyclic = onCycle(used);
        const cycles = cyclesOf(steps);
        expect(cycles.length > 0).toBe(cyclic.includes(true));
        for (const cycle of cycles) {
          const indices = cycle.map((name) => Number(name.slice(1)));
          expect(indices.at(-1)).toBe(indices[0]);
          indices.slice(1).forEach((to, position) => expect(used[indices[position] ?? 0]?.[to]).toBe(true));
        }
        expect(new Set(cycles.flatMap((cycle) => cycle.slice(1))).size).toBe(
          cycles.flatMap((cycle) => cycle.slice(1)).length,
        );
        const broken = used.map((row) => [...row]);
        for (const cycle of cycles) for (const name of cycle) broken[Number(name.slice(1))]?.fill(false);
        expect(onCycle(broken)).not.toContain(true);
      }),
      { numRuns: 500 },
    );
  });

  it('point to an existing use within the cycle', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { steps } = stepsOf(graph);
        for (const { path, msg } of graphFaults(steps)) {
          const [from = '', next = ''] = (msg.split('cycle: ')[1] ?? '').split(' → ');
          const value = path
            .slice(2)
            .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], steps[Number(path[1])]);
          expect([steps[Number(path[1])]?.name, String(value)]).toEqual([from, expect.stringContaining(next)]);
        }
      }),
    );
  });

  it('name each unknown step, each duplicate name and each unknown template name', () => {
    const steps = [
      { name: 'a', depends_on: ['b', 'x'], prompt: '{{ params.p }} {{steps.b.output}} {{ steps.y.output }}' },
      { name: 'b', prompt: '{{ prompt }} {{ steps.b }} {{ not a name }}', when: [{ step: 'z' }, { step: 7 }] },
      { name: 'b', tool: { arguments: { 'k.v': ['', '{{ steps.w.output.x }}'] } } },
    ];
    expect(graphFaults(steps).map(({ path, msg }) => [path.join('.'), msg])).toEqual([
      ['steps.2.name', 'Another step has the name b'],
      ['steps.0.depends_on.1', 'There is no step with the name x'],
      ['steps.0.prompt', 'There is no step with the name y'],
      ['steps.1.when.0.step', 'There is no step with the name z'],
      ['steps.1.prompt', 'Unknown template name prompt: it should be params.<name> or steps.<step>.output'],
      ['steps.1.prompt', 'Unknown template name steps.b: it should be params.<name> or steps.<step>.output'],
      ['steps.2.tool.arguments.k.v.1', 'There is no step with the name w'],
    ]);
  });

  it('are found in a chain, a cycle and a complete graph of 500 steps', () => {
    const name = (index: number): string => `s${index}`;
    const all = Array.from({ length: 500 }, (_step, index) => index);
    const chain = all.map((index) => ({ name: name(index), depends_on: index === 0 ? [] : [name(index - 1)] }));
    expect(graphFaults(chain)).toEqual([]);
    const [first, ...rest] = graphFaults([{ name: 's0', depends_on: ['s499'] }, ...chain.slice(1)]);
    expect([first?.path, rest]).toEqual([['steps', '0', 'depends_on', '0'], []]);
    expect(first?.msg.length).toBeLessThan(200);
    const complete = all.map((index) => ({ name: name(index), depends_on: all.slice(0, index).map(name) }));
    expect(graphFaults(complete)).toEqual([]);
    const cyclic = all.map((index) => ({ name: name(index), depends_on: all.map(name) }));
    expect(graphFaults(cyclic)).toHaveLength(500);
  });
});

describe('the faults of steps', () => {
  const faultsOf = (step: object): (string | undefined)[][] =>
    stepFaults([{ name: 'a' }, step]).map(({ path, type }) => [path.slice(2).join('.'), type]);

  it.each([
    [{ type: 'agent' }, [['agent_id', 'missing']]],
    [{ type: 'team', team_id: '', agent_id: 'x' }, [['team_id', 'missing']]],
    [{ type: 'prompt', prompt: null }, [['prompt', 'missing']]],
    [{ type: 'tool' }, [['tool', 'missing']]],
    [
      { type: 'tool', tool: { arguments: {} } },
      [
        ['tool.server', 'missing'],
        ['tool.name', 'missing'],
      ],
    ],
    [{ type: 'agent', agent_id: 'x' }, []],
    [{ type: 'tool', tool: { server: 's', name: 't' } }, []],
    [{ when: { step: 'a', equals: null } }, []],
    [
      {
        when: [
          { step: 'a', matches: '^x+$' },
          { step: 'a', exists: false },
        ],
      },
      [],
    ],
    [
      { when: [{ equals: 1 }, 'x'] },
      [
        ['when.0.step', 'value_error'],
        ['when.1', 'dict_type'],
      ],
    ],
    [{ when: { step: 'a' } }, [['when', 'value_error']]],
    [{ when: { step: 'a', equals: 1, contains: 'x' } }, [['when', 'value_error']]],
    [{ when: { step: 'a', matches: '(' } }, [['when.matches', 'value_error']]],
    [{ when: { step: 'a', exists: 'yes' } }, [['when.exists', 'bool_type']]],
    [{ when: Array.from({ length: 101 }, () => 0) }, [['when', 'too_long']]],
  ])('of %j', (step, expected) => {
    expect(faultsOf({ name: 'b', ...step })).toEqual(expected);
  });

  it('ignore values of wrong types', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (steps) => expect(Array.isArray(stepFaults(steps))).toBe(true)));
    for (const wrong of [undefined, null, 'x', 7, {}, [null, 7, [[]], { name: 1, depends_on: 2, when: 3, tool: 4 }]])
      expect(() => stepFaults(wrong)).not.toThrow();
  });
});
