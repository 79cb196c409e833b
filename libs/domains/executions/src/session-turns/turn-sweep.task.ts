import { PeriodicTasks } from '@app/dispatch';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SessionTurns } from './session-turns.js';

/** Queues executions whose turn in their session has come, if the message about the end before them was lost. */
@Injectable()
export class TurnSweepTask implements OnApplicationBootstrap {
  constructor(
    private readonly turns: SessionTurns,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.everyReconcileInterval('executions.advance_sessions', (signal) => this.turns.advanceStalled(signal));
  }
}
