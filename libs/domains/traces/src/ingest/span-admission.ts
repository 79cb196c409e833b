import { ExecutionService, type ExecutionOwner } from '@app/executions';
import { EXECUTION_ID_PATTERN, type Scope } from '@app/kernel';
import { TeamService, type Team } from '@app/teams';
import { Injectable } from '@nestjs/common';
import type { CheckedSpan } from './span-check.js';

/** Why a span is refused although nothing is wrong with it. */
export const UNMONITORED = 'its execution is of a team whose configuration turns off monitoring';

/** A span that is not stored. */
export interface RefusedSpan {
  /** Its position in the batch. */
  readonly index: number;
  readonly reason: string;
}

export interface AdmittedSpans {
  readonly accepted: readonly CheckedSpan[];
  readonly refused: readonly RefusedSpan[];
  /** The executions that the spans name. */
  readonly executions: ReadonlyMap<string, ExecutionOwner>;
}

/** Decides which spans are stored, by the executions that they name. */
@Injectable()
export class SpanAdmission {
  constructor(
    private readonly executions: ExecutionService,
    private readonly teams: TeamService,
  ) {}

  /** `spans`: by their positions in the batch. */
  async admit(scope: Scope, spans: ReadonlyMap<number, CheckedSpan>): Promise<AdmittedSpans> {
    const executions = await this.executionsOf(scope, spans.values());
    const unmonitored = await this.unmonitoredTeams(scope, executions.values());
    const accepted: CheckedSpan[] = [];
    const refused: RefusedSpan[] = [];
    for (const [index, span] of spans) {
      const reason = refusalOf(span, executions, unmonitored);
      if (reason === undefined) accepted.push(span);
      else refused.push({ index, reason });
    }
    return { accepted, refused, executions };
  }

  /** Returns those of the executions whose spans are stored. */
  async monitored<T extends ExecutionOwner>(scope: Scope, executions: readonly T[]): Promise<T[]> {
    const unmonitored = await this.unmonitoredTeams(scope, executions);
    return executions.filter(({ entity_id }) => entity_id === null || !unmonitored.has(entity_id));
  }

  /** Returns the executions of this organization that spans name. */
  private async executionsOf(scope: Scope, spans: Iterable<CheckedSpan>): Promise<ReadonlyMap<string, ExecutionOwner>> {
    const ids = new Set<string>();
    for (const { execution_id } of spans) {
      if (execution_id !== null && EXECUTION_ID_PATTERN.test(execution_id)) ids.add(execution_id);
    }
    return this.executions.ownersByIds(scope, [...ids]);
  }

  /** Returns the teams whose spans are not stored. */
  private async unmonitoredTeams(scope: Scope, executions: Iterable<ExecutionOwner>): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const { execution_type, entity_id } of executions) {
      if (execution_type === 'team' && entity_id !== null) ids.add(entity_id);
    }
    const teams = await this.teams.byIds(scope, [...ids]);
    return new Set([...teams.values()].filter(isUnmonitored).map(({ id }) => id));
  }
}

function isUnmonitored({ configuration }: Team): boolean {
  return configuration['monitoring'] === false;
}

function refusalOf(
  { execution_id: id }: CheckedSpan,
  executions: ReadonlyMap<string, ExecutionOwner>,
  unmonitored: ReadonlySet<string>,
): string | undefined {
  if (id === null) return undefined;
  const execution = executions.get(id);
  if (execution === undefined) return `there is no execution ${JSON.stringify(id.slice(0, 128))}`;
  return execution.entity_id !== null && unmonitored.has(execution.entity_id) ? UNMONITORED : undefined;
}
