import type { MigrationInterface } from 'typeorm';

/** Every migration, oldest first. A migration that has landed is never edited; a change is a new one. */
export const migrations: readonly (new () => MigrationInterface)[] = [];
