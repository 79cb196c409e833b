import { ResponseString } from '@app/http';
import { ApiProperty } from '@nestjs/swagger';

/** Described in the definition of OTLP (opentelemetry.proto.collector.trace.v1), which has more fields than are useful here. */
export class ExportTraceRequest {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    required: false,
    description: 'Spans by resource and instrumentation scope (`ResourceSpans`)',
    example: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: '5b8efff798038103d269b633813fc60c',
                spanId: 'eee19b7ec3c1b174',
                name: 'checkout',
                kind: 2,
                startTimeUnixNano: '1764227000000000000',
                endTimeUnixNano: '1764227000125000000',
              },
            ],
          },
        ],
      },
    ],
  })
  readonly resourceSpans?: readonly object[];
}

export class PartialSuccessResponse {
  @ResponseString({ description: 'Number of refused spans, as decimal digits' })
  readonly rejectedSpans!: string;

  @ResponseString({ description: 'Why the first of them were refused, with their positions in the request' })
  readonly errorMessage!: string;
}

export class ExportTraceResponse {
  @ApiProperty({ type: PartialSuccessResponse, required: false, description: 'Present only if spans were refused' })
  readonly partialSuccess?: PartialSuccessResponse;
}
