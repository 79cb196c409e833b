import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import type { PoolUse } from './connections.js';

const CONNECTIONS = 'platform_database_connections';
const WAITING = 'platform_database_waiting';
const LONG_READS = 'platform_database_long_read_connections';
const LONG_READS_WAITING = 'platform_database_long_reads_waiting';

/** The use of the connection pools of this process. */
@Injectable()
export class PoolMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    {
      name: CONNECTIONS,
      help: 'Connections of this process to PostgreSQL, without those of long reads: busy, idle, and the maximum',
      label: 'state',
    },
    { name: WAITING, help: 'Statements that wait for a connection' },
    {
      name: LONG_READS,
      help: 'Connections of this process to PostgreSQL for long reads: busy, idle, and the maximum',
      label: 'state',
    },
    { name: LONG_READS_WAITING, help: 'Statements of long reads that wait for a connection' },
  ];

  constructor(private readonly database: Database) {
    super();
  }

  override read(): Promise<readonly Reading[]> {
    return Promise.resolve([
      ...readingsOf(this.database.poolUse, CONNECTIONS, WAITING),
      ...readingsOf(this.database.longReadPoolUse, LONG_READS, LONG_READS_WAITING),
    ]);
  }
}

function readingsOf({ open, idle, max, waiting: count }: PoolUse, connections: string, waiting: string): Reading[] {
  return [
    { name: connections, of: 'busy', value: open - idle },
    { name: connections, of: 'idle', value: idle },
    { name: connections, of: 'max', value: max },
    { name: waiting, value: count },
  ];
}
