import { Clock, SystemClock } from '@app/kernel';
import { Global, Module } from '@nestjs/common';
import { DatabaseClock } from './database-clock.js';
import { Database } from '../database.js';

/** Provides the `Clock` of the kernel to every module of a process that stores times. Needs `DatabaseModule`. */
@Global()
@Module({
  providers: [
    {
      provide: Clock,
      inject: [Database],
      useFactory: (database: Database) => new DatabaseClock(database, new SystemClock()),
    },
  ],
  exports: [Clock],
})
export class DatabaseClockModule {}
