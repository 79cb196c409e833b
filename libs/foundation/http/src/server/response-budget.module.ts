import { provideConfig, ResponseConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { ResponseBudget } from './response-budget.js';

/** One budget for all APIs of a process. */
@Module({ providers: [provideConfig(ResponseConfig), ResponseBudget], exports: [ResponseBudget] })
export class ResponseBudgetModule {}
