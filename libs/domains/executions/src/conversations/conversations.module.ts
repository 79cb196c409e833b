import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionLifecycleModule } from '../executions/execution-lifecycle.module.js';
import { LeasesModule } from '../leases/leases.module.js';
import { SessionTurnsModule } from '../session-turns/session-turns.module.js';
import { ConversationService } from './conversation.service.js';
import { ExecutionMessageEntity } from './execution-message.entity.js';
import { ExecutionSessionEntity } from './execution-session.entity.js';
import { SessionMessageEntity } from './session-message.entity.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ExecutionSessionEntity, ExecutionMessageEntity, SessionMessageEntity]),
    ExecutionLifecycleModule,
    LeasesModule,
    SessionTurnsModule,
  ],
  providers: [SessionRepository, SessionService, ConversationService],
  exports: [SessionService, ConversationService],
})
export class ConversationsModule {}
