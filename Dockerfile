# syntax=docker/dockerfile:1
# The service: an API, a worker or both, depending on ROLE, and its commands. scripts/deploy/README.md says how to use it.

# The official image, because it has Node and npm, and gets security updates with its tag. The npm package `node`, which
# `npm start` uses, has the same version; a test compares the two. To pin the digest as well:
# docker build --build-arg NODE_IMAGE=node:26.10.0-trixie-slim@sha256:... .
ARG NODE_IMAGE=node:26.10.0-trixie-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are the embedded PostgreSQL and the WebAssembly build of ffmpeg, and peers the command line of Prisma.
# The service needs none of them here, and no install script.
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Plumbline" \
  org.opencontainers.image.description="A contract-first API service" \
  org.opencontainers.image.version="1.3.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/node:26.10.0-trixie-slim"
# Debian removes old versions from its mirrors, so a pinned version would soon fail to install.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ffmpeg \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules/
COPY package.json ./
COPY prisma/migrations prisma/migrations/
COPY generated generated/
COPY scripts scripts/
COPY src src/
# Numbers, because Kubernetes can't check that a name is not root.
RUN install --directory --owner=10001 --group=10001 /data node_modules/.cache
USER 10001:10001
# Stores the compiled code for this user, because the root file system is read-only later.
RUN ["node", "src/main.ts", "--help"]
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MEDIA_ENGINE=native
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "scripts/deploy/healthcheck.ts"]
# Without a shell or npm in between, so that SIGTERM reaches the service.
CMD ["node", "src/main.ts"]
