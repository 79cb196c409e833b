import type { Cluster, Redis } from 'ioredis';

/** A connection to one server or to the nodes of a cluster. Both have the same commands. */
export type RedisClient = Redis | Cluster;
