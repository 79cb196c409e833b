import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';

const CONNECTIONS = 'platform_database_connections';
const WAITING = 'platform_database_waiting';

/** The use of the connection pool of this process. */
@Injectable()
export class PoolMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    {
      name: CONNECTIONS,
      help: 'Connections of this process to PostgreSQL: busy, idle, and the maximum',
      label: 'state',
    },
    { name: WAITING, help: 'Statements that wait for a connection' },
  ];

  constructor(private readonly database: Database) {
    super();
  }

  override read(): Promise<readonly Reading[]> {
    const { open, idle, max, waiting } = this.database.poolUse;
    return Promise.resolve([
      { name: CONNECTIONS, of: 'busy', value: open - idle },
      { name: CONNECTIONS, of: 'idle', value: idle },
      { name: CONNECTIONS, of: 'max', value: max },
      { name: WAITING, value: waiting },
    ]);
  }
}
