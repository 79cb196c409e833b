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
COPY --from=build /app/dist/bundles/worker.js /app/dist/bundles/worker.cjs /app/dist/bundles/worker.cache \
  /app/dist/bundles/program.js dist/bundles/
USER node
CMD ["node", "dist/bundles/worker.js"]
