# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json package.json
COPY --from=build /app/dist/bundles/tool-server.js /app/dist/bundles/tool-server.cjs /app/dist/bundles/tool-server.cache \
  /app/dist/bundles/program.js dist/bundles/
USER node
ENV TOOL_SERVER_HOST=0.0.0.0 TOOL_SERVER_PORT=3002
EXPOSE 3002
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3002/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bundles/tool-server.js"]
