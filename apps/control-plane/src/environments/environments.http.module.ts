import { EnvironmentsModule } from '@app/environments';
import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { EnvironmentPresenter } from './environment.presenter.js';
import { EnvironmentsController } from './environments.controller.js';

@Module({
  imports: [EnvironmentsModule, SkillsModule],
  controllers: [EnvironmentsController],
  providers: [EnvironmentPresenter],
})
export class EnvironmentsHttpModule {}
