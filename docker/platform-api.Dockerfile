# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/package.json package.json
COPY --from=build /app/dist/bundles/platform-api.js /app/dist/bundles/platform-api.cjs /app/dist/bundles/platform-api.cache \
  /app/dist/bundles/thread-main.js /app/dist/bundles/thread-main.cjs /app/dist/bundles/thread-main.cache \
  /app/dist/bundles/program.js dist/bundles/
USER node
ENV PLATFORM_API_HOST=0.0.0.0 PLATFORM_API_PORT=3001
EXPOSE 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3001/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bundles/platform-api.js"]
