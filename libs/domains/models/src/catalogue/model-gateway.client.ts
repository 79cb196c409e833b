import { createHash } from 'node:crypto';
import { ModelGatewayConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { readGatewayModels, type GatewayModelList } from './gateway-models.js';

/**
 * The paths in the order in which they are tried. The first, of LiteLLM, has prices and capabilities; the second is
 * part of the OpenAI API.
 */
const PATHS = ['/model/info', '/models'] as const;
/** Time limit of a request, from the connection to the end of the body. */
export const TIME_LIMIT_MS = 3000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The gateway did not list its models. The message does not contain parts of its response. */
export class ModelGatewayError extends Error {
  override readonly name = 'ModelGatewayError';
}

/** Reads the list of models from the model gateway. */
@Injectable()
export class ModelGatewayClient {
  /** Identifies the gateway: the digest of its URL, which can contain a password. Null if none is configured. */
  readonly gateway: string | null;

  constructor(private readonly config: ModelGatewayConfig) {
    this.gateway = config.url === null ? null : createHash('sha256').update(config.url).digest('hex').slice(0, 32);
  }

  /** Throws `ModelGatewayError`, after twice `TIME_LIMIT_MS` at the latest. */
  async listModels(stopped: AbortSignal): Promise<GatewayModelList> {
    const [info, plain] = PATHS;
    const described = await this.list(info, stopped).catch((error: unknown) => error);
    if (isFilled(described)) return described;
    return this.list(plain, stopped);
  }

  private async list(path: string, stopped: AbortSignal): Promise<GatewayModelList> {
    const limit = AbortSignal.timeout(TIME_LIMIT_MS);
    try {
      const models = await readGatewayModels(await this.get(path, AbortSignal.any([limit, stopped])));
      if (models === undefined) throw new ModelGatewayError('its response is not a list of models');
      return models;
    } catch (error) {
      if (error instanceof ModelGatewayError) throw error;
      if (limit.aborted) throw new ModelGatewayError('it did not respond in time', { cause: error });
      throw new ModelGatewayError(`the request failed${codeOf(error)}`, { cause: error });
    }
  }

  private async get(path: string, signal: AbortSignal): Promise<unknown> {
    const { url, apiKey } = this.config;
    const headers = { Accept: 'application/json', ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }) };
    const response = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new ModelGatewayError(`it responded with status ${response.status}`);
    }
    return parse(await readBounded(response));
  }
}

/** An empty list of `/model/info` does not count, because some servers respond to every path. */
function isFilled(listed: unknown): listed is GatewayModelList {
  return !(listed instanceof Error) && (listed as GatewayModelList).models.length > 0;
}

/** The body is decompressed before it is measured. */
async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new ModelGatewayError('its response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ModelGatewayError('its response is not JSON');
  }
}

/** Returns the code of a failed connection, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } }).cause?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}
