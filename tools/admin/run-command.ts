import 'reflect-metadata';
import { checkConfig, DatabaseConfig, IdentityConfig, MigrationConfig } from '@app/config';
import { OperatorService, OrganizationService } from '@app/identity';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AdminModule } from './admin.module.js';
import type { AdminCommand } from './command-line.js';

/** Does what the command asks for; answers what is to be printed. */
export async function runCommand(command: AdminCommand): Promise<unknown> {
  checkConfig([DatabaseConfig, MigrationConfig, IdentityConfig]);
  const app = await NestFactory.createApplicationContext(AdminModule, { logger: false, abortOnError: false });
  try {
    if (command.name === 'create-org') return await createOrganization(app, command.organizationName);
    if (command.name === 'create-key') return await createKey(app, command);
    return await listOrganizations(app);
  } finally {
    await app.close();
  }
}

async function createOrganization(app: INestApplicationContext, name: string): Promise<unknown> {
  const { organization, adminKey } = await app.get(OrganizationService, { strict: false }).create(name);
  return { organization_id: organization.id, api_key: adminKey.key };
}

async function createKey(
  app: INestApplicationContext,
  command: Extract<AdminCommand, { name: 'create-key' }>,
): Promise<unknown> {
  const operator = app.get(OperatorService, { strict: false });
  const organization = await operator.findOrganization(command.organization);
  const { id, key } = await operator.createKey(organization, {
    name: command.keyName,
    description: null,
    scopes: command.scopes,
    expires_at: command.expiresAt,
  });
  return { organization_id: organization.id, key_id: id, api_key: key };
}

async function listOrganizations(app: INestApplicationContext): Promise<unknown> {
  const organizations = await app.get(OperatorService, { strict: false }).listOrganizations();
  return organizations.map(({ id, name, slug, created_at }) => ({ id, name, slug, created_at }));
}
