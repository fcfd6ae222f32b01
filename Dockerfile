# Quarterdeck in a container: docker build -t quarterdeck . &&
# docker run -p 8000:8000 -e JWT_SECRET=$(openssl rand -hex 32) -v quarterdeck:/app/data quarterdeck
#
# A tag may be moved. For the same image each time, give it by its digest, which `docker buildx imagetools inspect
# denoland/deno:2.9.6` tells: docker build --build-arg DENO_IMAGE=denoland/deno:2.9.6@sha256:… -t quarterdeck .
ARG DENO_IMAGE=denoland/deno:2.9.6

# The dependencies, as deno.lock pins them.
FROM ${DENO_IMAGE} AS build
ENV DENO_DIR=/deno-dir
WORKDIR /app
COPY . .
RUN deno cache --frozen main.ts services/snippets/markdown_worker.ts services/images/image_worker.ts cli/admin.ts cli/copy.ts cli/permissions.ts

FROM ${DENO_IMAGE}
# One port for every variant. The settings of malloc and V8 are those of `deno task start`; docs/performance.md has why.
ENV DENO_DIR=/deno-dir \
    DENO_ENV=production \
    DENO_NO_UPDATE_CHECK=1 \
    GLIBC_TUNABLES=glibc.malloc.trim_threshold=131072:glibc.malloc.tcache_max=16384:glibc.malloc.tcache_count=512 \
    DENO_V8_FLAGS=--no-allocation-site-pretenuring,--heap-growing-percent=50,--max-semi-space-size=8,--no-parallel-scavenge,--gc-memory-reducer-start-delay-ms=1000 \
    PORT=8000
WORKDIR /app
COPY --from=build --chown=deno:deno /deno-dir /deno-dir
COPY --from=build /app /app
RUN mkdir -p data && chown deno:deno data
VOLUME /app/data
USER deno
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["deno", "eval", "const port = Deno.env.get('PORT'); const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`); Deno.exit(ok ? 0 : 1)"]
CMD ["sh", "-c", "exec deno run --cached-only --frozen $(deno run --quiet --frozen --allow-env --allow-read=.env cli/permissions.ts) main.ts"]
