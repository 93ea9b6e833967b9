import { withoutTrailing } from './without-trailing.ts'

/** Joins the base URL of a service, which may end in slashes, with a path that starts with one. */
export function joinUrl(base: string, path: string): string {
  return `${withoutTrailing(base, '/')}${path}`
}
