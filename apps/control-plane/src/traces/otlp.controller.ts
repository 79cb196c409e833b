import {
  CurrentCaller,
  HttpProblem,
  LargeBody,
  NaturallyIdempotent,
  RawBody,
  RequireScope,
  Returns,
  Summary,
  type WireRequest,
} from '@app/http';
import type { Caller } from '@app/kernel';
import { TraceIngestService, type Received } from '@app/traces';
import { Controller, Post, Req, StreamableFile, UseFilters } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ExportTraceRequest, ExportTraceResponse } from './dto/otlp.dto.js';
import { exportResponse, OTLP_TYPES, type OtlpType } from './otlp/otlp-answer.js';
import { OtlpErrorFilter } from './otlp/otlp-error.filter.js';
import { spansOfJson } from './otlp/otlp-json.js';
import { spansOfProtobuf } from './otlp/otlp-protobuf.js';
import { SpeaksOtlp } from './otlp/otlp-responses.js';
import { otlpTypeOf } from './otlp/otlp-type.js';

const DECODERS: Readonly<Record<OtlpType, (bytes: Uint8Array) => Iterable<Received>>> = {
  [OTLP_TYPES.json]: spansOfJson,
  [OTLP_TYPES.protobuf]: spansOfProtobuf,
};

/** Spans from any OpenTelemetry exporter (OTLP over HTTP). */
@ApiTags('traces')
@Controller('v1/traces')
@UseFilters(OtlpErrorFilter)
export class OtlpController {
  constructor(private readonly traces: TraceIngestService) {}

  @Post()
  @Summary('Stores spans (OTLP over HTTP). The response names spans that were refused; all others are stored.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @LargeBody()
  @RawBody()
  @SpeaksOtlp()
  @ApiBody({ type: ExportTraceRequest, description: 'ExportTraceServiceRequest of OTLP, also compressed with gzip' })
  @Returns(ExportTraceResponse, { description: 'ExportTraceServiceResponse, in the form of the request' })
  async receive(@CurrentCaller() caller: Caller, @Req() request: Request & WireRequest): Promise<StreamableFile> {
    const type = otlpTypeOf(request);
    const { refused } = await this.traces.ingest(caller, decoded(type, request.rawBody ?? new Uint8Array()));
    return new StreamableFile(exportResponse(type, refused), { type });
  }
}

/** Reports a broken request as an error of the request. */
function* decoded(type: OtlpType, bytes: Uint8Array): Generator<Received> {
  try {
    yield* DECODERS[type](bytes);
  } catch (error) {
    const reason = (error as Error).message;
    throw new HttpProblem('export_request_invalid', `The body is not an ExportTraceServiceRequest: ${reason}`);
  }
}
