import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** The page and its parts come from this origin alone; nothing on it is a user's. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const parts = [
  { path: '/docs', file: 'page.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/docs/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
]

/** Binds `/docs`: every call, to read and to try. It is made of /openapi.json by the page itself. */
export function registerDocsPage(app: FastifyInstance): void {
  for (const { path, file, type } of parts) {
    const content = readFileSync(new URL(`docs/${file}`, import.meta.url), 'utf8')
    app.get(path, (_request, reply) => reply.type(type).header('content-security-policy', policy).send(content))
  }
}
