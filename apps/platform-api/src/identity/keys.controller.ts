import {
  CurrentCaller,
  NamedListQuery,
  RequireScope,
  Returns,
  ReturnsNoContent,
  ReturnsPage,
  Summary,
  toNameFilter,
  toPage,
} from '@app/http';
import { KeyService } from '@app/identity';
import { Clock, type Caller } from '@app/kernel';
import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreateKeyRequest,
  DEFAULT_OVERLAP_SECONDS,
  RotateKeyRequest,
  UpdateKeyRequest,
} from './dto/key.request.dto.js';
import { KeyResponse, KeysResponse, MintedKeyResponse } from './dto/key.response.dto.js';
import { toKeyResponse, toKeysResponse, toKeyUpdate, toMintedKeyResponse } from './key.mapper.js';

@ApiTags('auth')
@Controller('api/v1/auth/keys')
export class KeysController {
  constructor(
    private readonly keys: KeyService,
    private readonly clock: Clock,
  ) {}

  /** Ignores `Idempotency-Key`: the response contains the key, which is never stored, not even encrypted. */
  @Post()
  @Summary('Creates an API key with at most the scopes and expiry of the key in use.')
  @RequireScope('admin')
  @Header('Cache-Control', 'no-store')
  @Returns(MintedKeyResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateKeyRequest): Promise<MintedKeyResponse> {
    const { description = null, expires_at = null } = body;
    const minted = await this.keys.mint(caller, { ...body, description, expires_at });
    return toMintedKeyResponse(minted, this.clock.now());
  }

  @Get()
  @Summary('Lists API keys, newest first, without the keys themselves. A rotated key is listed until it is removed.')
  @RequireScope('admin')
  @ReturnsPage(KeysResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: NamedListQuery): Promise<KeysResponse> {
    return toKeysResponse(await this.keys.list(caller, toPage(query), toNameFilter(query)), this.clock.now());
  }

  @Patch(':key_id')
  @Summary('Updates the given fields of an API key, for example its limits.')
  @RequireScope('admin')
  @Returns(KeyResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('key_id') keyId: string,
    @Body() body: UpdateKeyRequest,
  ): Promise<KeyResponse> {
    return toKeyResponse(await this.keys.update(caller, keyId, toKeyUpdate(body)), this.clock.now());
  }

  /** Ignores `Idempotency-Key`, as the creation of a key does. */
  @Post(':key_id/rotate')
  @Summary('Creates a successor of an API key. The old key remains valid for a limited time.')
  @RequireScope('admin')
  @Header('Cache-Control', 'no-store')
  @Returns(MintedKeyResponse, { status: 201, description: 'Successor with its API key' })
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param('key_id') keyId: string,
    @Body() { overlap_seconds: overlapSeconds = DEFAULT_OVERLAP_SECONDS, expires_at = null }: RotateKeyRequest,
  ): Promise<MintedKeyResponse> {
    const minted = await this.keys.rotate(caller, keyId, { overlapSeconds, expires_at });
    return toMintedKeyResponse(minted, this.clock.now());
  }

  @Delete(':key_id')
  @Summary('Revokes an API key; the last working one with the scope `admin` cannot be revoked.')
  @RequireScope('admin')
  @ReturnsNoContent()
  async revoke(@CurrentCaller() caller: Caller, @Param('key_id') keyId: string): Promise<void> {
    await this.keys.revoke(caller, keyId);
  }
}
