import type { DescribedEvents, DescribedRoute } from "./described-route.ts";
import { POSTING_HEADERS, eventPostings } from "./events.ts";
import { INTRODUCTION, SECURITY_SCHEMES, TAGS } from "./introduction.ts";
import { HEADERS } from "./headers.ts";
import { describeOperation } from "./operation.ts";
import { shareParameters } from "./parameters.ts";
import { newSchemas } from "./schemas.ts";
import { contentsOf, shareSchemas } from "./shared-schemas.ts";

/** The OpenAPI 3.1 document of the routes and events. @see https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(
  routes: DescribedRoute[],
  { publicUrl, events }: { publicUrl: string; events: DescribedEvents },
) {
  const schemas = newSchemas();
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeOperation(
      route,
      routes.find(({ operation }) => operation === route.operation) ?? route,
      schemas,
    );
  }
  const parameters = shareParameters(Object.values(paths).flatMap((methods) => Object.values(methods)));
  const webhooks = eventPostings(events, schemas);
  shareSchemas(schemas.components, contentsOf({ paths, webhooks, responses: schemas.responses }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version: "1",
      summary: "The affiliate-program server that a company hosts itself",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: schemas.components,
      responses: schemas.responses,
      parameters: { ...parameters, ...POSTING_HEADERS },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
