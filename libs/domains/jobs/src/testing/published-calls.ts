/** A signed call that a sender of webhooks publishes for tests. */
export interface PublishedCall {
  readonly secret: string;
  readonly body: string;
  /** By name in lower case. All of them are needed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unix time in seconds. */
  readonly signedAt: number;
  /** Whether the signature covers the time. */
  readonly isTimed: boolean;
}

/** By the `webhook_signature` of their jobs. */
export const PUBLISHED = {
  /** The documentation of GitHub, "Validating webhook deliveries". */
  github: {
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    signedAt: 1_700_000_000,
    isTimed: false,
  },
  /** The tests of Stripe's library for .NET (`EventUtilityTest`); its documentation states no secret. */
  stripe: {
    secret: 'webhook_secret',
    body: `{
  "id": "evt_123",
  "object": "event",
  "account": "acct_123",
  "api_version": "2017-05-25",
  "created": 1533204620,
  "data": {
    "object": {
      "id": "cus_123",
      "object": "customer",
      "created": 123456789,
      "email": "test@stripe.com",
      "livemode": false,
      "metadata": {}
    }
  },
  "livemode": false,
  "pending_webhooks": 1,
  "request": {
    "id": "req_123",
    "idempotency_key": "idempotency-key-123"
  },
  "type": "customer.created"
}
`,
    headers: {
      'stripe-signature':
        't=1533204620,v1=2220f87ef101a04665f11cdf770523143f875572008577fa0f20882ddb9cc3c7,' +
        'v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef',
    },
    signedAt: 1_533_204_620,
    isTimed: true,
  },
  /** The documentation of Slack, "Verifying requests from Slack". */
  slack: {
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body:
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    signedAt: 1_531_420_618,
    isTimed: true,
  },
} satisfies Record<string, PublishedCall>;
