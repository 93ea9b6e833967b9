/** Returns a header of a message of Node's HTTP client, joined if it was repeated, or null. */
export function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | null {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
