import type { Database } from '@app/database';

/**
 * Simulates that time has passed since all heartbeats: moves their stored times back, because the database compares
 * them with its own clock.
 */
export async function passHeartbeatTime(database: Database, milliseconds: number): Promise<void> {
  await database.sql("UPDATE workers SET last_heartbeat_at = last_heartbeat_at - $1 * interval '1 millisecond'", [
    milliseconds,
  ]);
}
