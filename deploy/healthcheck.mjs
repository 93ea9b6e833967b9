// biome-ignore-all lint/style/noProcessEnv: a program of its own reads its settings.
// Health check of a container: calls /healthz of the service, on the port in its settings or its defaults.
import { env, exit } from 'node:process'

const ports = [
  ['CAIRN_KEYNODE_NUMBER', env.CAIRN_KEYNODE_PORT || 9000 + Number(env.CAIRN_KEYNODE_NUMBER)],
  ['CAIRN_KEYROUTER_NODES', env.CAIRN_KEYROUTER_PORT || 9000],
  ['CAIRN_PROVIDER_SOURCES', env.CAIRN_PROVIDER_PORT || 8090],
]
const storagePort = env.CAIRN_PORT || 8080 + Number(env.CAIRN_PORT_OFFSET || 0)
const port = ports.find(([setting]) => env[setting])?.[1] ?? storagePort
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) })
  exit(ok ? 0 : 1)
} catch {
  exit(1)
}
