# unveil in a container without a network; see docs/offline.md. Build:  docker build -t unveil .
# Run:  docker run --rm --network none -v "$PWD:/data" -w /data --user "$(id -u):$(id -g)" unveil demo
FROM python:3.12-slim AS wheels
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.12-slim
COPY --from=wheels /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels unveil && rm -rf /wheels
USER nobody
ENTRYPOINT ["unveil"]
