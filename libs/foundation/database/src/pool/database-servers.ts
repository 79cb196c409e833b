import { DatabaseConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { choiceOf, leadsToPooler, serverAddress, type ServerAddress, type ServerChoice } from '@app/postgres';
import { Injectable } from '@nestjs/common';

/** What the server behind a URL supports. */
export interface ServerAccess {
  readonly servers: ServerChoice;
  /** A pooler lends its connections for one transaction at a time, and rejects startup parameters. */
  readonly isPooled: boolean;
  readonly preparesStatements: boolean;
}

/** The PostgreSQL servers of the process, and how it uses them. */
@Injectable()
export class DatabaseServers {
  private readonly logger = createLogger('database');
  private readonly address: ServerAddress;
  private access: Promise<ServerAccess> | undefined;

  constructor(private readonly config: DatabaseConfig) {
    this.address = serverAddress('DATABASE_URL', config.url, config.ca);
  }

  /** The servers for all work except migrations. Connects once to find out whether a pooler is in between. */
  main(): Promise<ServerAccess> {
    return (this.access ??= this.accessTo(this.address));
  }

  /** The servers for migrations. Throws if a pooler is in between, because their lock belongs to a session. */
  async direct(): Promise<ServerAccess> {
    const { url, directUrl, ca } = this.config;
    const isOwn = directUrl !== null && directUrl !== url;
    const access = isOwn ? await this.accessTo(serverAddress('DATABASE_DIRECT_URL', directUrl, ca)) : await this.main();
    if (!access.isPooled) return access;
    throw new Error(
      `${access.servers.address.setting} leads to a pooler such as PgBouncer, through which migrations cannot run. ` +
        'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, or set MIGRATE_ON_START=false and run the migrations ' +
        'with a process that has it.',
    );
  }

  /** The servers for long reads. */
  async longReads(): Promise<ServerAccess> {
    const { replicaUrl, ca } = this.config;
    if (replicaUrl === null) return this.main();
    return this.accessTo({ ...serverAddress('DATABASE_REPLICA_URL', replicaUrl, ca), writable: false });
  }

  private async accessTo(address: ServerAddress): Promise<ServerAccess> {
    const isPooled = await leadsToPooler(address);
    const { preparedStatements: setting } = this.config;
    const preparesStatements = setting === 'auto' ? !isPooled : setting === 'on';
    if (isPooled) {
      this.logger.info({ setting: address.setting, prepared_statements: preparesStatements }, 'a pooler is in between');
    }
    const servers = choiceOf(address, ({ host, port }) => {
      this.logger.info({ setting: address.setting, host, port }, 'PostgreSQL server chosen');
    });
    return { servers, isPooled, preparesStatements };
  }
}
