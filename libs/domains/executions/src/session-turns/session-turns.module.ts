import { Module } from '@nestjs/common';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { SessionTurns } from './session-turns.js';
import { TurnRepository } from './turn.repository.js';

/** The order of the executions of sessions. */
@Module({
  imports: [LifecycleModule],
  providers: [TurnRepository, SessionTurns],
  exports: [TurnRepository, SessionTurns],
})
export class SessionTurnsModule {}
