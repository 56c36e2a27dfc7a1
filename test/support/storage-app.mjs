import { H3, HTTPError, serve } from "h3";
import { tidemarkStorage } from "tidemark/storage";

const storage = await tidemarkStorage(process.env.STORAGE_URL, { secretFile: process.env.SECRET_FILE });

const app = new H3()
  .get("/keys/:base", ({ context }) => storage.getKeys(context.params.base))
  .get("/items/:key", async ({ context }) => {
    const record = await storage.getItem(context.params.key);
    if (record === null) throw new HTTPError({ status: 404 });
    return record;
  })
  .patch("/items/:key", async ({ req, context }) => {
    const { key } = context.params;
    const record = { ...(await storage.getItem(key)), ...(await req.json()) };
    await storage.setItem(key, record).catch(({ message }) => {
      throw new HTTPError({ status: 422, message });
    });
    return storage.getItem(key);
  })
  .delete("/items/:key", async ({ context }) => {
    await storage.removeItem(context.params.key);
    return null;
  });

const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
await server.ready();
process.stdout.write(`listens on ${server.url}\n`);

// Nothing ends the process then: it ends because nothing is open any more.
process.once("SIGTERM", async () => {
  await server.close(true);
  await storage.dispose();
});
