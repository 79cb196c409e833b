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
# The bundles contain all packages but this one, whose files the documentation page serves.
COPY --from=build /app/node_modules/swagger-ui-dist node_modules/swagger-ui-dist
COPY --from=build /app/dist/bundles/control-plane.js /app/dist/bundles/control-plane.cjs /app/dist/bundles/control-plane.cache \
  /app/dist/bundles/thread-main.js /app/dist/bundles/thread-main.cjs /app/dist/bundles/thread-main.cache \
  /app/dist/bundles/program.js dist/bundles/
COPY --from=build /app/dist/console dist/console
USER 1000:1000
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Control plane" \
  org.opencontainers.image.description="Control plane of the agent orchestration platform, with its web console" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV CONTROL_PLANE_HOST=0.0.0.0 CONTROL_PLANE_PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bundles/control-plane.js"]
