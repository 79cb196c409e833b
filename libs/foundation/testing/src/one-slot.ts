import type { RedisConnections } from '@app/redis';
import type { Command, Redis } from 'ioredis';
import { slotOf } from './hash-slot.js';

/**
 * Makes the commands of these connections reject if a Redis Cluster would: the keys of a command, of a script or of a
 * transaction must share a hash slot. The server of most tests is no cluster and would accept them.
 */
export function requireOneSlot({ commands, forQueues }: RedisConnections): void {
  for (const connection of [commands, forQueues] as Redis[]) guard(connection);
}

function guard(connection: Redis): void {
  const send = connection.sendCommand.bind(connection);
  /** The slots of the keys in the transaction of each pipeline. */
  const transactions = new WeakMap<object, Set<number>>();
  connection.sendCommand = (command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown => {
    const sent = send(command, stream);
    const slots = new Set(command.getKeys().map(slotOf));
    const transaction = stream === undefined ? undefined : (transactions.get(stream) ?? new Set());
    if (stream !== undefined && transaction !== undefined && command.inTransaction) {
      slots.forEach((slot) => transaction.add(slot));
      transactions.set(stream, transaction);
    }
    const isOfOne = slots.size <= 1 && !(command.name === 'exec' && (transaction?.size ?? 0) > 1);
    // It was sent nevertheless: the commands of a pipeline are written together.
    if (!isOfOne) command.reject(new Error(`CROSSSLOT: the keys of ${command.name} are in several slots of a cluster`));
    return sent;
  };
}
