# The base needs Node 24 with npm and the user 1000 with a home folder: tools/images/base.sh makes one without a registry.
ARG BASE_IMAGE=docker.io/library/node:24-slim
FROM ${BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Optional secrets of the build, which no layer contains: an .npmrc, and the authority (PEM) of a registry of your own.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca \
  if [ -f /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi; \
  npm ci --no-audit --no-fund
COPY . .
RUN npm run build && rm -f node_modules/swagger-ui-dist/*.map node_modules/swagger-ui-dist/*-es-bundle*

FROM ${BASE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json package.json
COPY --from=build /app/dist/bundles/worker.js /app/dist/bundles/worker.cjs /app/dist/bundles/worker.cache \
  /app/dist/bundles/program.js dist/bundles/
USER 1000:1000
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Worker" \
  org.opencontainers.image.description="Worker of the agent orchestration platform: runs agents" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
CMD ["node", "dist/bundles/worker.js"]
