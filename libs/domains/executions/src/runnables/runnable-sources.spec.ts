import { describe, expect, it } from '@jest/globals';
import { Injectable, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { ExecutionType } from '../executions/execution.types.js';
import { RunnableSource, type AssembledRunnable, type Runnable } from './runnable-source.js';
import { RunnableSources } from './runnable-sources.js';
import { RunnablesModule } from './runnables.module.js';

const scope = { organizationId: 'organization-1' };

abstract class InMemorySource extends RunnableSource {
  override readonly memberOfKinds: readonly ExecutionType[] = [];
  readonly recorded: string[] = [];

  override async find(_scope: object, id: string): Promise<Runnable | undefined> {
    if (id === 'deleted') return undefined;
    return {
      kind: this.kind,
      id,
      name: `The ${this.kind}`,
      environmentIds: [],
      memberOf: [],
      lastActiveAt: null,
      changes: [],
    };
  }

  override async namesOf(_scope: object, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map(ids.filter((id) => id !== 'deleted').map((id) => [id, `${this.kind} ${id}`]));
  }

  override async idsNamed(_scope: object, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return new Map(words.map((word) => [word, word === 'deleted' ? [] : [word]]));
  }

  override async assemble(_scope: object, id: string): Promise<AssembledRunnable | undefined> {
    return id === 'deleted'
      ? undefined
      : { kind: this.kind, id, model: null, timeoutMs: null, execution_environment: {}, memberOf: [] };
  }

  override async recordRun(_scope: object, { id }: Runnable): Promise<void> {
    this.recorded.push(id);
  }
}

@Injectable()
class Agents extends InMemorySource {
  override readonly kind = 'agent';
  override readonly memberOfKinds = ['team'] as const;
}

@Injectable()
class Teams extends InMemorySource {
  override readonly kind = 'team';
}

@Injectable()
class OtherTeams extends Teams {}

@Injectable()
class Workflows extends InMemorySource {
  override readonly kind = 'workflow';
}

async function start(sources: Type<RunnableSource>[]): Promise<RunnableSources> {
  const testing = await Test.createTestingModule({ imports: [RunnablesModule], providers: sources }).compile();
  await testing.init();
  return testing.get(RunnableSources, { strict: false });
}

describe('RunnableSources', () => {
  it('collects sources from the providers and queries each for its own kind only', async () => {
    const sources = await start([Agents, Teams]);
    expect(await sources.find(scope, { kind: 'team', id: '1' })).toMatchObject({ kind: 'team', name: 'The team' });
    expect(await sources.find(scope, { kind: 'team', id: 'deleted' })).toBeUndefined();
    const refs = [
      { kind: 'agent', id: '1' },
      { kind: 'team', id: '1' },
      { kind: 'agent', id: 'deleted' },
    ] as const;
    const names = await sources.namesOf(scope, refs);
    expect(names.get('agent')).toEqual(new Map([['1', 'agent 1']]));
    expect(names.get('team')).toEqual(new Map([['1', 'team 1']]));
    expect(sources.kindsWithMembers()).toEqual(['team']);
    const ids = await sources.idsNamed(scope, [
      { kind: 'agent', idOrName: 'x' },
      { kind: 'agent', idOrName: 'deleted' },
    ]);
    expect(ids).toEqual(
      new Map([
        [
          'agent',
          new Map([
            ['x', ['x']],
            ['deleted', []],
          ]),
        ],
        ['team', new Map()],
      ]),
    );
  });

  it('names the kind in the error when a runnable does not exist', async () => {
    const sources = await start([Agents, Teams]);
    const missing = sources.read(scope, { kind: 'agent', id: 'deleted' });
    await expect(missing).rejects.toMatchObject({ code: 'agent_not_found', message: 'Agent not found' });
  });

  it('finds nothing of a kind without a source', async () => {
    const sources = await start([Agents, Teams]);
    const ref = { kind: 'workflow', id: '1' } as const;
    expect(sources.has('workflow')).toBe(false);
    expect(await sources.find(scope, ref)).toBeUndefined();
    expect(await sources.assemble(scope, ref)).toBeUndefined();
    expect((await sources.namesOf(scope, [ref])).get('workflow')).toBeUndefined();
    const runnable = { ...ref, name: 'w', environmentIds: [], memberOf: [], lastActiveAt: null, changes: [] };
    await expect(sources.recordRun(scope, runnable)).resolves.toBeUndefined();
  });

  it('supports an optional kind if it has a source', async () => {
    const sources = await start([Agents, Teams, Workflows]);
    expect(sources.has('workflow')).toBe(true);
    expect(await sources.assemble(scope, { kind: 'workflow', id: '1' })).toMatchObject({ kind: 'workflow', id: '1' });
  });

  it('prevents the start when a kind has two sources', async () => {
    await expect(start([Agents, Teams, OtherTeams])).rejects.toThrow('The kind team has two sources');
  });

  it('prevents the start when agents or teams have no source', async () => {
    await expect(start([Workflows])).rejects.toThrow('Kinds of runnables without a source: agent, team');
  });
});
