import { changedFields } from './difference.js';
import { Reference } from './documents.js';
import { CommandError, EXIT_CODES } from './errors.js';
import { checkFields } from './known-fields.js';
import type { Row } from './output.js';
import { ResourceClient } from './resource-client.js';
import { APPLICABLE, resourceOf, type Resource } from './resources.js';
import type { Connection } from './connection.js';

/** The change that a document of a file makes. */
export interface Step {
  /** `kind/name` */
  readonly label: string;
  readonly resource: Resource;
  /** null: the resource does not exist. */
  readonly current: Row | null;
  /** All fields of a new resource, the differing fields of an existing one. */
  readonly changes: Row;
}

/** Compares documents with the platform and applies the differences. */
export class Planner {
  /** Ids of the resources in the file by label; null until they are created. */
  private readonly ids = new Map<string, string | null>();
  private readonly planned = new Set<string>();
  /** One client per kind, because a client requests a list once for all documents. */
  private readonly clients = new Map<string, ResourceClient>();

  constructor(
    private readonly connection: Connection,
    /** Whether fields that the platform does not return, such as the values of secrets, are written again. */
    private readonly rewritesHidden: boolean,
  ) {}

  /**
   * Throws a CommandError for a document without a kind that can be applied, with unknown fields, that matches several
   * resources, or that describes the same one as another document.
   */
  async plan(documents: readonly Row[]): Promise<Step[]> {
    const steps: Step[] = [];
    for (const document of documents) steps.push(await this.step(document));
    return steps;
  }

  /** Creates or updates the resource of a step. Returns the response. */
  async carryOut({ label, resource, current, changes }: Step): Promise<Row> {
    const client = this.clientOf(resource);
    const body = (await this.resolve(changes)) as Row;
    try {
      const row = current === null ? await client.create(body) : await client.update(client.idOf(current), body);
      this.ids.set(label, client.idOf(row));
      return row;
    } catch (error) {
      throw new StepError(label, error);
    }
  }

  private async step(document: Row): Promise<Step> {
    const { kind, ...given } = document;
    const resource = resourceOf(String(kind));
    if (resource === undefined || !APPLICABLE.includes(resource)) {
      const problem =
        kind === undefined
          ? 'A document has no kind.'
          : `Documents of the kind ${JSON.stringify(kind)} cannot be applied.`;
      throw new CommandError(problem, EXIT_CODES.data, 'See the kinds: agentctl apply --help');
    }
    const fields = (await this.resolve(given)) as Row;
    const label = `${resource.kind}/${nameOf(resource, given)}`;
    if (this.planned.has(label)) {
      throw new CommandError(`${label} is described twice.`, EXIT_CODES.data, 'Give one of them another name.');
    }
    this.planned.add(label);
    const current = await this.existing(resource, fields, label);
    checkFields(resource, fields, label, current);
    this.ids.set(label, current === null ? null : this.clientOf(resource).idOf(current));
    return { label, resource, current, changes: current === null ? fields : this.changesOf(resource, fields, current) };
  }

  private changesOf({ writeOnly = [] }: Resource, fields: Row, current: Row): Row {
    const changed = Object.entries(changedFields(fields, current));
    return Object.fromEntries(changed.filter(([name]) => this.rewritesHidden || !writeOnly.includes(name)));
  }

  private async existing(resource: Resource, fields: Row, label: string): Promise<Row | null> {
    const client = this.clientOf(resource);
    const { knownBy = ['name'] } = resource;
    const known = Object.fromEntries(knownBy.map((name) => [name, fields[name]]));
    // A resource that refers to a new resource cannot exist yet.
    if (Object.values(known).some((value) => value instanceof Reference)) return null;
    const found = await client.matching(known);
    if (found.length > 1) {
      throw new CommandError(
        `There are ${found.length} ${resource.plural} that match ${label}.`,
        EXIT_CODES.failed,
        `Delete or rename the others of ${found.map((row) => client.idOf(row)).join(', ')}.`,
      );
    }
    const [row] = found;
    return row === undefined ? null : client.read(client.idOf(row));
  }

  /** Replaces references by ids, except those to resources that are not created yet. */
  private async resolve(value: unknown): Promise<unknown> {
    if (value instanceof Reference) return this.idOf(value);
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.resolve(item)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([key, item]) => [key, await this.resolve(item)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  private async idOf(reference: Reference): Promise<unknown> {
    const id = this.ids.get(reference.label);
    if (id !== undefined) return id ?? reference;
    const resource = resourceOf(reference.kind);
    if (resource === undefined) {
      throw new CommandError(`!ref ${reference.label}: there is no such kind.`, EXIT_CODES.data);
    }
    const client = this.clientOf(resource);
    const found = client.idOf(await client.find(reference.name));
    this.ids.set(reference.label, found);
    return found;
  }

  private clientOf(resource: Resource): ResourceClient {
    const client = this.clients.get(resource.kind) ?? new ResourceClient(this.connection, resource);
    this.clients.set(resource.kind, client);
    return client;
  }
}

/** The failure of a step. The previous steps were applied. */
export class StepError extends Error {
  constructor(
    readonly label: string,
    override readonly cause: unknown,
  ) {
    super(label);
  }
}

/** Returns the name for the label. Throws a CommandError if a field of `knownBy` is missing. */
function nameOf({ kind, knownBy = ['name'] }: Resource, fields: Row): string {
  const parts = knownBy.map((field) => fields[field]);
  const missing = knownBy.find((_field, index) => parts[index] === undefined);
  if (missing !== undefined)
    throw new CommandError(`A document of the kind ${kind} has no ${missing}.`, EXIT_CODES.data);
  return parts.map((part) => (part instanceof Reference ? part.name : String(part))).join(',');
}
