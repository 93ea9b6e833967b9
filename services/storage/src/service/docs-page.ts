import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** The page and its assets come from this origin only; it contains no user content. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const parts = [
  { path: '/docs', file: 'page.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/docs/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
]

/** Registers `/docs`: every call, to read and to try. The page builds it from /openapi.json. */
export function registerDocsPage(app: FastifyInstance): void {
  for (const { path, file, type } of parts) {
    const content = readFileSync(new URL(`docs/${file}`, import.meta.url), 'utf8')
    app.get(path, (_request, reply) => reply.type(type).header('content-security-policy', policy).send(content))
  }
}
