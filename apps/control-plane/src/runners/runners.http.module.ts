import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { RunnerPresenter } from './runner.presenter.js';
import { RunnersController } from './runners.controller.js';

@Module({
  imports: [EnvironmentsModule],
  controllers: [RunnersController],
  providers: [RunnerPresenter],
})
export class RunnersHttpModule {}
