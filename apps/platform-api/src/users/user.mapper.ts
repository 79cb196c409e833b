import type { User, UserFilter } from '@app/identity';
import { toWireTime, withoutUndefined } from '@app/kernel';
import type { ListUsersQuery } from './dto/user.request.dto.js';
import type { UserResponse } from './dto/user.response.dto.js';

export function toUserResponse(user: User): UserResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    avatar_url: user.avatar_url,
    status: user.status,
    groups: user.groups,
    created_at: toWireTime(user.created_at),
    updated_at: toWireTime(user.updated_at),
  };
}

export function toUserFilter({ name, email, status }: ListUsersQuery): UserFilter {
  return withoutUndefined({ name, email, status });
}
