import { ExecutionsModule } from '@app/executions';
import { ProjectsModule } from '@app/projects';
import { Module } from '@nestjs/common';
import { SessionPresenter } from './session.presenter.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  imports: [ExecutionsModule, ProjectsModule],
  providers: [SessionPresenter],
  controllers: [SessionsController],
})
export class SessionsHttpModule {}
