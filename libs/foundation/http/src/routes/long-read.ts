import { SetMetadata } from '@nestjs/common';
import { perHandler } from './per-handler.js';

const LONG_READ = 'route:long-read';

/**
 * For a GET whose time grows with what the organization stores, such as analytics and traces. Its statements use the
 * connections of long reads and may take `DATABASE_LONG_READ_TIMEOUT_MS`, so any number of such reads leaves the
 * connections of all other requests free.
 */
export const LongRead = (): MethodDecorator => SetMetadata(LONG_READ, true);

export const isLongRead = perHandler((handler) => Reflect.getMetadata(LONG_READ, handler) === true);
