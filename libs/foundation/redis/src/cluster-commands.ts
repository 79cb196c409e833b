import type { RedisNode } from '@app/config';
import { Cluster, type ClusterOptions } from 'ioredis';
import { dropSettled } from './drop-settled.js';

type SendCommand = Parameters<Cluster['sendCommand']>;
export type NodeOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
type Options = Omit<ClusterOptions, 'redisOptions'> & { readonly redisOptions: NodeOptions };

/**
 * The nodes of a cluster. A command that is not answered within `limitMs` rejects, also while no node is reachable:
 * the client of ioredis limits only the time that a node takes. Meanwhile the client follows redirections and repeats
 * commands whose node was lost.
 *
 * A duplicate has no limit, because it is for blocking reads.
 */
export class ClusterCommands extends Cluster {
  /** Commands that wait until the cluster is reachable. Each waits no longer than its limit. */
  private readonly waiting = new Set<() => void>();

  constructor(
    nodes: readonly RedisNode[],
    options: Options,
    private readonly limitMs: number,
  ) {
    super([...nodes], options);
    this.on('+node', dropSettled);
    this.on('ready', () => {
      for (const send of [...this.waiting]) send();
    });
  }

  override sendCommand(...parameters: SendCommand): unknown {
    const [command] = parameters;
    command.setTimeout(this.limitMs);
    if (this.status === 'ready' || this.status === 'end' || command.name === 'cluster') {
      return super.sendCommand(...parameters);
    }
    const remove = (): boolean => this.waiting.delete(send);
    const send = (): void => {
      remove();
      super.sendCommand(...parameters);
    };
    this.waiting.add(send);
    command.promise.then(remove, remove);
    return command.promise;
  }
}
