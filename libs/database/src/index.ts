export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
export { migrate } from './migrate.js';
export { migrations } from './migrations/index.js';
export { driverErrorOf, isUniqueViolation } from './postgres-errors.js';
