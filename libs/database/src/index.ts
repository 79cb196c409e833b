export { columnsOf } from './columns-of.js';
export { DATABASE_NOW } from './database-time.sql.js';
export { Database, type PreparedStatement } from './database.js';
export { DatabaseModule } from './database.module.js';
export { migrate } from './migrate.js';
export { migrations } from './migrations/index.js';
export { statementOf, type Statement } from './list-statement.js';
export { Searchable, searchedKindOf, type SearchedKind } from './searchable.js';
export { driverErrorOf, rejectDuplicate, rejectMissing, rejectWrongKeys } from './postgres-errors.js';
