import { columnsOf, type PreparedStatement } from '@app/database';
import { UserEntity } from './user.entity.js';

/** Returns a `StoredUser`. Part of every start by webhook or schedule. `$1` organization, `$2` user. */
export const FIND_USER: PreparedStatement = {
  name: 'users.find',
  text: `SELECT ${columnsOf(UserEntity).join(', ')} FROM users WHERE organization_id = $1 AND id = $2`,
};

/**
 * Acquires a lock until the transaction ends. It serializes the changes that can remove the last admin of an
 * organization: otherwise, of two concurrent suspensions, revocations or rotations, each would count the admin that the
 * other removes. `$1` organization.
 */
export const LOCK_ADMINS = `SELECT pg_advisory_xact_lock(hashtextextended('admins:' || $1, 0))`;
