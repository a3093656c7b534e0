# Two images: the app, which is what `docker build` makes by itself, and a proxy before copies of it.
# hosting/compose.yaml puts them together.
FROM python:3.11-slim-bookworm AS code
WORKDIR /app
ENV PYTHONUNBUFFERED=1 HOME=/tmp DPVIZ_CONTAINED=1
COPY requirements.lock hosting/rooms.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    --requirement rooms.lock
COPY app.py LICENSE ./
COPY .streamlit/config.toml .streamlit/
COPY assets assets
COPY dpviz dpviz
COPY hosting hosting
COPY pages pages
RUN python -m compileall -q . && useradd --system --uid 10001 --no-create-home dpviz

FROM code AS static
RUN apt-get update && apt-get install --yes --no-install-recommends brotli \
    && rm -rf /var/lib/apt/lists/*
RUN python -m hosting.static /srv/dpviz

FROM caddy:2-alpine AS proxy
COPY hosting/Caddyfile /etc/caddy/Caddyfile
COPY --from=static /srv/dpviz /srv
RUN adduser -S -D -H -u 10002 caddy && mkdir -p /data/caddy /config/caddy \
    && chown -R caddy /data /config
USER caddy
# Any secret may be set: the Caddyfile gets a hash of it, which needs no quotes.
CMD ["sh", "-c", "export DPVIZ_COOKIE_KEY=${DPVIZ_COOKIE_KEY:+$(printf %s \"$DPVIZ_COOKIE_KEY\" | \
    sha256sum | cut -c1-64)}; exec caddy run --config /etc/caddy/Caddyfile --adapter caddyfile"]

FROM code AS app
USER dpviz
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["python", "-c", \
    "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
# Docker starts again what ends, not what hangs: so the app is kept from within.
CMD ["python", "-m", "hosting", "--alone", "--address=0.0.0.0", "--port=8501"]
