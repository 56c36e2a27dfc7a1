# Built and run as it is: docker build -t tidemark . && docker run -p 3000:3000 -v tidemark:/data -v tidemark-key:/key tidemark
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The command line of the container: docker exec … tidemark doctor
RUN ln -s /app/dist/server/cli.js /usr/local/bin/tidemark && mkdir /data /key && chown node:node /data /key
USER node
# The key of the store's secrets has a volume of its own, so that no copy of the store has it.
# PUBLIC_URL is the address that browsers use. The first key and the owner's link go into the volume, not into the log.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 PUBLIC_URL=http://localhost:3000 \
    STORAGE_URL=sqlite:/data TIDEMARK_KEY_FILE=/data/first-key \
    TIDEMARK_SECRET_FILE=/key/tidemark.key FILES_URL=/data/files
VOLUME ["/data", "/key"]
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/server/main.js"]
