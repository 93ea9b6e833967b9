import { allCalls } from '@cairn/protocol'

const known = allCalls
  .filter(({ host }) => host === 'keys')
  .map(({ id, method, path }) => ({
    id,
    method,
    pattern: new RegExp(`^${path.replace(/\{node\}/, '[1-5]').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

/** Which call a request is, at which node, with whose token. */
export function readCall(url: string, init: RequestInit | undefined): { node: number; call: string; token: string } {
  const { hostname, pathname } = new URL(url)
  const call = known.find(({ method, pattern }) => method === init?.method && pattern.test(pathname))
  const node = Number(/^node-([1-5])\.test$/.exec(hostname)?.[1])
  const token = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '')?.[1] ?? ''
  if (call === undefined || Number.isNaN(node)) throw new Error(`the explorer knows no ${init?.method} ${url}`)
  return { node, call: call.id, token }
}
