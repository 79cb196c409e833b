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
COPY --from=build /app/dist/bundles/control-plane.js /app/dist/bundles/control-plane.cjs /app/dist/bundles/control-plane.cache \
  /app/dist/bundles/thread-main.js /app/dist/bundles/thread-main.cjs /app/dist/bundles/thread-main.cache \
  /app/dist/bundles/program.js dist/bundles/
COPY --from=build /app/dist/console/public dist/console/public
USER node
ENV CONTROL_PLANE_HOST=0.0.0.0 CONTROL_PLANE_PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bundles/control-plane.js"]
