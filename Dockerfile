# The program and what it runs on: no compiler, no package manager's cache, no root.
#   docker build -t captioner .
#   docker build -t captioner --build-arg MODEL=parakeet-110m-transducer .   with a speech model inside
# Exact tags: whoever builds releases pins them by digest as well (docker buildx imagetools inspect).
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# What the lock file names and nothing else; the workspace is of tests alone. Bun comes from npm, like
# all else; then what only developers need goes again.
RUN npm ci --workspaces=false --no-audit --no-fund \
  && cp node_modules/bun/bin/bun.exe /usr/local/bin/bun \
  && npm prune --workspaces=false --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/typescript node_modules/@typescript
COPY server server
COPY content content
COPY terms terms
COPY web web
COPY sample sample
COPY scripts scripts
RUN bun scripts/build.ts
ARG MODEL=
RUN mkdir /models && if [ -n "$MODEL" ]; then MODELS_DIR=/models bun scripts/models.ts fetch "$MODEL"; fi

FROM debian:12.12-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --create-home captioner \
  && install -d -o captioner /data /models
COPY --from=build /usr/local/bin/bun /usr/local/bin/bun
COPY --from=build /app /app
COPY --from=build --chown=captioner /models /models
WORKDIR /app
USER captioner
ENV NODE_ENV=production PORT=3000 DATA_DIR=/data MODELS_DIR=/models
EXPOSE 3000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s --retries=3 CMD ["bun", "scripts/health.ts"]
CMD ["bun", "server/main.ts"]
