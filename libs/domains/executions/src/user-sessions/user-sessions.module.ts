import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SessionTurnsModule } from '../session-turns/session-turns.module.js';
import { UserSessionMessageEntity } from './user-session-message.entity.js';
import { UserSessionEntity } from './user-session.entity.js';
import { UserSessionRepository } from './user-session.repository.js';
import { UserSessionService } from './user-session.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserSessionEntity, UserSessionMessageEntity]), SessionTurnsModule],
  providers: [UserSessionRepository, UserSessionService],
  exports: [UserSessionRepository, UserSessionService],
})
export class UserSessionsModule {}
