import { Clock, SystemClock } from '@app/kernel';
import { Global, Module } from '@nestjs/common';

/**
 * Provides the `Clock` of the kernel (which does not depend on Nest) to every module, for tests, benchmarks and the
 * commands of the operator. Applications use `DatabaseClockModule`. Tests override the provider.
 */
@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
export class ClockModule {}
