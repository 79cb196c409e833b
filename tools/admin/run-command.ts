import 'reflect-metadata';
import { checkConfig, DatabaseConfig, IdentityConfig, MigrationConfig } from '@app/config';
import { endOf, OperatorService, OrganizationService, type UserStatus } from '@app/identity';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AdminModule } from './admin.module.js';
import type { AdminCommand } from './command-line.js';

/** Runs a command and returns the result to print as JSON. */
export async function runCommand(command: AdminCommand): Promise<unknown> {
  checkConfig([DatabaseConfig, MigrationConfig, IdentityConfig]);
  const app = await NestFactory.createApplicationContext(AdminModule, { logger: false, abortOnError: false });
  try {
    return await execute(app, command);
  } finally {
    await app.close();
  }
}

function execute(app: INestApplicationContext, command: AdminCommand): Promise<unknown> {
  switch (command.name) {
    case 'create-org':
      return createOrganization(app, command);
    case 'create-user':
      return createUser(app, command);
    case 'list-users':
      return listUsers(app, command.organization);
    case 'suspend-user':
      return setUserStatus(app, command, 'suspended');
    case 'activate-user':
      return setUserStatus(app, command, 'active');
    case 'create-key':
      return createKey(app, command);
    case 'list-keys':
      return listKeys(app, command.organization);
    case 'revoke-key':
      return revokeKey(app, command);
    default:
      return listOrganizations(app);
  }
}

type Command<Name extends AdminCommand['name']> = Extract<AdminCommand, { name: Name }>;

async function createOrganization(app: INestApplicationContext, command: Command<'create-org'>): Promise<unknown> {
  const { organizationName, owner } = command;
  const organizations = app.get(OrganizationService, { strict: false });
  const { organization, adminKey } = await organizations.create(organizationName, owner === null ? {} : { owner });
  return { organization_id: organization.id, key_id: adminKey.id, api_key: adminKey.key };
}

async function createUser(app: INestApplicationContext, command: Command<'create-user'>): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const organization = await operator.findOrganization(command.organization);
  const { id } = await operator.createUser(organization, command.user);
  return { organization_id: organization.id, user_id: id };
}

async function listUsers(app: INestApplicationContext, idOrSlug: string): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const users = await operator.listUsers(await operator.findOrganization(idOrSlug));
  return users.map(({ id, email, name, status, groups, created_at }) => ({
    id,
    email,
    name,
    status,
    groups,
    created_at,
  }));
}

async function setUserStatus(
  app: INestApplicationContext,
  command: Command<'suspend-user' | 'activate-user'>,
  status: UserStatus,
): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const organization = await operator.findOrganization(command.organization);
  const { id } = await operator.setUserStatus(organization, command.user, status);
  return { organization_id: organization.id, user_id: id, status };
}

async function createKey(app: INestApplicationContext, command: Command<'create-key'>): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const organization = await operator.findOrganization(command.organization);
  const { keyName: name, scopes, expiresAt: expires_at, user } = command;
  const request = { name, description: null, scopes, expires_at };
  const { id, key } = await operator.createKey(organization, request, user ?? undefined);
  return { organization_id: organization.id, key_id: id, api_key: key };
}

async function listKeys(app: INestApplicationContext, idOrSlug: string): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const keys = await operator.listKeys(await operator.findOrganization(idOrSlug));
  return keys.map(({ user, ...key }) => ({
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    user_id: user.id,
    user_email: user.email,
    user_name: user.name,
    created_at: key.created_at,
    last_used: key.last_used,
    expires_at: endOf(key),
  }));
}

async function revokeKey(app: INestApplicationContext, command: Command<'revoke-key'>): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const organization = await operator.findOrganization(command.organization);
  await operator.revokeKey(organization, command.keyId);
  return { organization_id: organization.id, key_id: command.keyId, revoked: true };
}

async function listOrganizations(app: INestApplicationContext): Promise<unknown> {
  const organizations = await app.get(OperatorService, { strict: false }).listOrganizations();
  return organizations.map(({ id, name, slug, created_at }) => ({ id, name, slug, created_at }));
}
