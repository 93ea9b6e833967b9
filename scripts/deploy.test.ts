// Everything that `deploy/` and the pages on operation refer to must exist: settings, metrics, programs, commands, log lines.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { keyNodeSettings, keyRouterSettings } from '@cairn/keynode'
import { errorTable } from '@cairn/protocol'
import { providerSettings } from '@cairn/provider'
import { settings } from '@cairn/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { keyNodeCommands } from '../services/keynode/src/admin/commands.ts'
import { readKeyNodeConfig } from '../services/keynode/src/config.ts'
import { readKeyRouterConfig } from '../services/keynode/src/router/config.ts'
import { readProviderConfig } from '../services/provider/src/config.ts'
import { commands } from '../services/storage/src/admin/commands.ts'
import { readConfig } from '../services/storage/src/config.ts'
import { createStorageMetrics } from '../services/storage/src/metrics.ts'
import { serviceBundles } from './service-bundles.ts'

const root = resolve(import.meta.dirname, '..')
const deploy = join(root, 'deploy')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const deployFiles = readdirSync(deploy, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const pages = pagesIn('docs/operate')
const otherPages = [...pagesIn('docs'), ...pagesIn('docs/how-to')]

const known: Record<string, unknown> = { ...settings, ...keyNodeSettings, ...keyRouterSettings, ...providerSettings }
/** Settings of the compose file itself, not of a service. */
const ofCompose = ['CAIRN_DOMAIN', 'CAIRN_GATEWAY_DOMAIN']
/** Settings of the command line. */
const ofClients = ['CAIRN_NETWORK']

test.each([...deployFiles, ...pages])('every setting in %s exists', (path) => {
  // A star or an ellipsis matches anything.
  const names = [...read(path).matchAll(/\bCAIRN_[A-Z0-9_]+\b(?![*…])/g)].map(([name]) => name)
  const unknown = names.filter(
    (name) =>
      !(name in known) &&
      !(name.replace(/_FILE$/, '') in known) &&
      ![...ofCompose, ...ofClients].includes(name) &&
      !name.endsWith('_'),
  )
  expect(unknown).toEqual([])
})

type Service = {
  environment?: Record<string, string>
  secrets?: (string | { source: string; target: string })[]
  build?: { args: { SERVICE: string } }
  volumes?: string[]
  read_only?: boolean
  depends_on?: Record<string, unknown>
}
const compose: {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
} = parse(read('deploy/compose.yaml'), { merge: true })
const tables: Record<string, Record<string, unknown>> = {
  storage: settings,
  keynode: keyNodeSettings,
  keyrouter: keyRouterSettings,
  provider: providerSettings,
}

test('each service of the compose file has its own settings and declared secrets and volumes', () => {
  const kinds: string[] = []
  for (const [name, service] of Object.entries(compose.services)) {
    for (const secret of service.secrets ?? [])
      expect(Object.keys(compose.secrets), name).toContain(typeof secret === 'string' ? secret : secret.source)
    for (const volume of service.volumes ?? [])
      if (!volume.startsWith('.')) expect(Object.keys(compose.volumes), name).toContain(volume.split(':')[0])
    for (const other of Object.keys(service.depends_on ?? {}))
      expect(Object.keys(compose.services), name).toContain(other)
    const kind = service.build?.args.SERVICE
    if (kind === undefined) continue
    kinds.push(kind)
    expect(service.read_only, name).toBe(true)
    for (const [setting, value] of Object.entries(service.environment ?? {})) {
      const bare = setting.replace(/_FILE$/, '')
      expect(Object.keys(tables[kind] ?? {}), `${name}: ${setting}`).toContain(bare)
      if (!setting.endsWith('_FILE')) continue
      const file = value.replace('/run/secrets/', '')
      const given = (service.secrets ?? []).map((secret) => (typeof secret === 'string' ? secret : secret.target))
      expect(given, `${name}: ${setting}`).toContain(file)
    }
  }
  expect(kinds.toSorted()).toEqual([
    ...Array(5).fill('keynode'),
    'keyrouter',
    'provider',
    'provider',
    'storage',
    'storage',
  ])
})

type Config = { port: number; publicUrl?: string | undefined; publicApiUrl?: string | undefined }
const readers: Record<string, (environment: Record<string, string>) => Config> = {
  storage: readConfig,
  keynode: readKeyNodeConfig,
  keyrouter: readKeyRouterConfig,
  provider: readProviderConfig,
}

/** The environment of a service of the compose file: variables and secrets have a value. */
function readEnvironment(name: string, folder: string): Record<string, string> {
  const variables: Record<string, string> = { CAIRN_DOMAIN: domain, CAIRN_GATEWAY_DOMAIN: 'example-content.org' }
  return Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([setting, value]) => [
      setting,
      value
        .replace(/\$\{([A-Z_]+)[^}]*\}/g, (_all, variable: string) => variables[variable] ?? 'abuse@example.org')
        .replace('/run/secrets', folder),
    ]),
  )
}
const domain = 'example.org'

describe('each service of the compose file', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-deploy-'))
    const [, providers = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/operate/deploy.md')) ?? []
    const contents: Record<string, string> = {
      database_url: 'postgres://cairn:p@postgres/cairn',
      providers: providers.replaceAll('/run/secrets', folder),
      keynode_peers: '',
    }
    const secrets = [...Object.keys(compose.secrets), 'keynode_secret', 'provider_secret', 'provider_key']
    for (const secret of secrets)
      writeFileSync(join(folder, secret), contents[secret] ?? '0123456789abcdef'.repeat(4), { mode: 0o600 })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const isBuilt = (name: string) => compose.services[name]?.build !== undefined
  test.each(Object.keys(compose.services).filter(isBuilt))('%s accepts its settings, behind the proxy', (name) => {
    const environment = readEnvironment(name, folder)
    const kind = compose.services[name]?.build?.args.SERVICE ?? ''
    const config = readers[kind]?.(environment) ?? expect.unreachable(kind)
    expect(config).toMatchObject({ trustedProxies: ['172.30.0.0/24'], metrics: { host: '0.0.0.0' } })
    // The proxy passes on every public address, and the page has a record of it.
    const { publicUrl, publicApiUrl = publicUrl, port } = config
    const { hostname } = new URL(publicApiUrl ?? 'none:')
    const label = hostname.replace(`.${domain}`, '')
    const [, block = ''] =
      new RegExp(`^${label}\\.\\{\\$CAIRN_DOMAIN\\} \\{([\\s\\S]*?)^\\}`, 'm').exec(read('deploy/caddy/Caddyfile')) ??
      []
    expect(block).toContain(` ${name}:${port}`)
    expect(read('docs/operate/deploy.md')).toContain(label)
  })

  test('the page gives each provider its own key and public address', () => {
    const { providers } = readConfig(readEnvironment('storage1', folder))
    for (const provider of providers) {
      const { publicUrl, port } = readProviderConfig(readEnvironment(provider.name, folder))
      expect(provider).toMatchObject({ url: `http://${provider.name}:${port}`, publicUrl })
      for (const service of ['storage1', 'storage2'])
        expect(compose.services[service]?.secrets).toContain(`${provider.name}_key`)
    }
    expect(providers.map(({ name }) => name)).toEqual(
      Object.keys(compose.services).filter((name) => name.startsWith('provider')),
    )
  })
})

test.each(['.gitignore', '.dockerignore'])('%s excludes homes, secrets and certificates', (path) => {
  const ignored = read(path)
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  const secrets = Object.values(compose.secrets).map(({ file }) => `deploy/${file.split('/')[1]}`)
  const homes = [
    settings.CAIRN_HOME.fallback,
    keyNodeSettings.CAIRN_KEYNODE_HOME.fallback,
    providerSettings.CAIRN_PROVIDER_HOME.fallback,
  ]
  for (const folder of [...secrets, ...homes, 'deploy/certificates', 'deploy/.env']) expect(ignored).toContain(folder)
})

test('the proxies answer for a service as the service does', () => {
  const { message, hint } = errorTable.UNAVAILABLE
  const error = { code: 'UNAVAILABLE', message, hint }
  const bodiesIn = (path: string, pattern: RegExp) =>
    [...read(path).matchAll(pattern)].map(([, body = '']) => JSON.parse(body))
  expect(bodiesIn('deploy/caddy/Caddyfile', /import unavailable `(.*)`/g)).toEqual([{ error }, error])
  expect(bodiesIn('deploy/nginx/cairn-unavailable.conf', /return 503 '(.*)';/g)).toEqual([{ error, ...error }])
  const servers = read('deploy/nginx/cairn.conf').split(/^server \{$/m)
  const passing = servers.filter((server) => server.includes('proxy_pass'))
  expect(passing.length).toBeGreaterThan(4)
  for (const server of passing) {
    expect(server).toContain('  include cairn-unavailable.conf;\n')
    // Like the services.
    expect(server).toContain('  large_client_header_buffers 4 32k;\n')
  }
})

test('the proxies answer preflights for a service, because browsers send nothing after a 503', () => {
  const [, methods = ''] = /allowedMethods = '(.*)'/.exec(read('packages/service/src/http/cors.ts')) ?? []
  expect(methods).toContain('OPTIONS')
  const caddy = read('deploy/caddy/Caddyfile')
  expect(caddy).toContain(`Access-Control-Allow-Methods "${methods}"`)
  expect(caddy).toMatch(/@preflight method OPTIONS\n\s+respond @preflight 204\n\s+respond \{args\[0\]\} 503/)
  const nginx = read('deploy/nginx/cairn-unavailable.conf')
  expect(nginx).toContain(`Access-Control-Allow-Methods "${methods}" always;`)
  expect(nginx).toMatch(/if \(\$request_method = OPTIONS\) \{\s+return 204;\s+\}\s+return 503/)
  // With a status, every response of the location would have it.
  expect(nginx).toContain('error_page 502 503 504 = @unavailable;')
})

test('a proxy replaces the address of the client, except that of a key node, whose router names it', () => {
  const servers = read('deploy/nginx/cairn.conf').split(/^server \{$/m)
  const forwardedIn = (server: string) => /proxy_set_header X-Forwarded-For (\S+);/.exec(server)?.[1]
  const values = servers.flatMap((server) => {
    const [, target] = /proxy_pass http:\/\/(\S+);/.exec(server) ?? []
    return target === undefined ? [] : [[target, forwardedIn(server)]]
  })
  expect(values).toEqual([
    ['cairn_api', '$remote_addr'],
    ['cairn_gateway', '$remote_addr'],
    ['127.0.0.1:9000', '$remote_addr'],
    ['127.0.0.1:9001', '$proxy_add_x_forwarded_for'],
    ['127.0.0.1:8090', '$remote_addr'],
  ])
})

test('nginx passes on the port of a host: redirects to subdomains and signatures of S3 contain it', () => {
  const conf = read('deploy/nginx/cairn.conf')
  const values = (header: string) =>
    [...conf.matchAll(new RegExp(`proxy_set_header ${header} (\\S+);`, 'g'))].map(([, value]) => value)
  expect(values('Host')).toEqual(Array(5).fill('$cairn_host'))
  expect(conf).toMatch(/map \$http_host \$cairn_host \{[^}]*default \$http_host;/)
  expect(values('X-Forwarded-Host')).toEqual(Array(2).fill('$cairn_host'))
})

test('nginx passes on heads of answers that repeat a long path', () => {
  const servers = read('deploy/nginx/cairn.conf').split(/^server \{$/m)
  const long = servers.filter((server) => /proxy_pass http:\/\/cairn_(?:api|gateway);/.test(server))
  expect(long).toHaveLength(2)
  // With smaller buffers, nginx would reject one of this size.
  for (const server of long) expect(server).toContain('  proxy_buffer_size 64k;\n  proxy_buffers 4 64k;\n')
})

/** Metrics of Node's own collector; the others are in the sources. */
const sources = ['packages/service/src', 'services'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/node_modules|\.(?:test|suite|fixture)\.ts$/.test(path))
    .map((path) => read(join(folder, path))),
)
const metricNames = new Set(sources.flatMap((text) => [...text.matchAll(/'(cairn_[a-z_]+)'/g)].map(([, name]) => name)))

test.each(['deploy/prometheus/alerts.yaml', 'deploy/grafana/cairn.json', 'docs/operate/monitor.md'])(
  'every metric in %s exists',
  (path) => {
    const named = [...read(path).matchAll(/\bcairn_[a-z_]+\b/g)].map(([name]) => name.replace(/_bucket$/, ''))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !metricNames.has(name))).toEqual([])
  },
)

test('a series whose increase an alert expects begins at 0', async () => {
  const text = await createStorageMetrics().registry.metrics()
  const series = [...read('deploy/prometheus/alerts.yaml').matchAll(/increase\((cairn_\w+(?:\{\w+="\w+"\})?)\[/g)]
  expect(series.length).toBeGreaterThan(3)
  // One per followed network.
  const rest = series.map(([, name = '']) => name).filter((name) => name !== 'cairn_chain_disagreements_total')
  for (const name of rest) expect(text).toContain(`\n${name} 0\n`)
})

test('alerts and dashboard have the format of their programs', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Record<string, unknown>[] }[] }
  for (const rule of groups.flatMap(({ rules }) => rules))
    expect(rule).toMatchObject({ alert: expect.any(String), expr: expect.any(String), annotations: expect.anything() })
  const { panels } = JSON.parse(read('deploy/grafana/cairn.json')) as { panels: { targets: { expr: string }[] }[] }
  for (const { targets } of panels) expect(targets[0]?.expr).toMatch(/./)
  const jobs = parse(read('deploy/prometheus/prometheus.yaml')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[]
  }
  const hosts = jobs.scrape_configs.flatMap(({ static_configs: [first] }) => first?.targets ?? [])
  for (const host of hosts) expect(Object.keys(compose.services)).toContain(host.split(':')[0])
})

test.each(deployFiles.filter((path) => path.endsWith('.service')))(
  '%s starts a program of a bundle, hardened',
  (path) => {
    const unit = read(path)
    const [, service = '', program = ''] = /\/opt\/cairn\/([a-z]+)\/([a-z-]+)\.js/.exec(unit) ?? []
    expect(Object.keys(tables)).toContain(service)
    // A unit started by a timer runs one command of the operator's tool, and is not restarted.
    const isCommand = unit.includes('Type=oneshot')
    const tool = service === 'storage' ? 'admin' : `${service}-admin`
    expect(program).toBe(isCommand ? tool : service)
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet='])
      expect(unit).toContain(line)
    if (!isCommand) expect(unit).toContain('RestartPreventExitStatus=78')
  },
)

test.each([
  ['cairn-admin', commands],
  ['cairn-keynode-admin', keyNodeCommands],
])('every command of %s on a page exists, and each is listed', (tool, known) => {
  const text = [...pages, ...otherPages].map(read).join('\n')
  for (const [, one = '', two = ''] of text.matchAll(new RegExp(`${tool} ([a-z-]+)(?: ([a-z-]+))?`, 'g'))) {
    const isCommand = one in known || `${one} ${two}` in known
    expect([`${one} ${two}`, isCommand]).toEqual([`${one} ${two}`, true])
  }
  const ofOperators = pages.map(read).join('\n')
  for (const name of Object.keys(known)) expect(ofOperators).toContain(name)
})

test('a service writes every log line that the pages for operators quote', () => {
  const lines = [...read('docs/operate/incidents.md').matchAll(/^\| `([^`]+)`/gm)].map(([, line = '']) => line)
  expect(lines.length).toBeGreaterThan(10)
  const [list = ''] = /^- \*\*Log\*\*: .*$/m.exec(read('docs/payments.md')) ?? []
  for (const [, line = ''] of list.matchAll(/`([^`]+)`/g)) lines.push(line)
  const all = sources.join('\n')
  expect(lines.filter((line) => !all.includes(line))).toEqual([])
})

test('incidents.md explains every warning and error that a service logs', () => {
  const page = read('docs/operate/incidents.md')
  const calls = [
    /\blog\.(?:warn|error)\((?:\{[^}]*\}|\w+),\s*'([^']+)'/g,
    /\.failed\(\s*(?:'[^']*'|`[^`]*`|[\w.]+),\s*[\w.]+,\s*'([^']+)'/g,
    /\['([^']+ unavailable)', '[^']+ again'\]/g,
  ]
  const lines = sources.flatMap((source) => calls.flatMap((call) => [...source.matchAll(call)].map(([, line]) => line)))
  expect(lines.length).toBeGreaterThan(50)
  expect([...new Set(lines)].filter((line) => !page.includes(`\`${line}`))).toEqual([])
})

test('every tool of a bundle has a command in the image, and the page on deployment lists it', () => {
  const tools = Object.entries(serviceBundles).flatMap(([service, { programs }]) =>
    Object.keys(programs).filter((program) => program !== service),
  )
  const [, inImage = ''] = /for tool in ([^;]+);/.exec(read('deploy/Dockerfile')) ?? []
  expect(inImage.split(' ').toSorted()).toEqual(tools.toSorted())
  const page = read('docs/operate/deploy.md')
  for (const tool of tools) {
    expect(page).toContain(`node ${tool}.js`)
    expect(page).toContain(`cairn-${tool}`)
  }
})

test('the image starts each service with the arguments of its systemd unit', () => {
  const dockerfile = read('deploy/Dockerfile')
  const [, storage = '', others = ''] = /storage\) young=(\d+) ;; \*\) young=(\d+) ;;/.exec(dockerfile) ?? []
  const [, inImage = ''] = /exec node (.*) \/app\/service\.js/.exec(dockerfile) ?? []
  for (const service of Object.keys(serviceBundles)) {
    const unit = read(`deploy/systemd/cairn-${service}${service === 'keynode' ? '@' : ''}.service`)
    const [, inUnit] = /^ExecStart=\/usr\/bin\/node (.*) \S+$/m.exec(unit) ?? []
    expect(inUnit).toBe(inImage.replace('%s', service === 'storage' ? storage : others))
  }
})

test.each([
  ['a storage service', (port: number) => ({ CAIRN_PORT: `${port}` })],
  ['a storage service with an offset', (port: number) => ({ CAIRN_PORT_OFFSET: `${port - 8080}` })],
  ['a key node', (port: number) => ({ CAIRN_KEYNODE_NUMBER: '3', CAIRN_KEYNODE_PORT: `${port}` })],
  ['a key router', (port: number) => ({ CAIRN_KEYROUTER_NODES: 'http://a', CAIRN_KEYROUTER_PORT: `${port}` })],
  ['a provider', (port: number) => ({ CAIRN_PROVIDER_SOURCES: 'http://a', CAIRN_PROVIDER_PORT: `${port}` })],
])('the health check of a container probes the port of %s', async (_what, environmentOf) => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = spawn(process.execPath, [join(deploy, 'healthcheck.mjs')], { env: environmentOf(port) })
  const [code] = await once(check, 'close')
  server.closeAllConnections()
  server.close()
  expect([code, asked]).toEqual([0, ['/healthz']])
})

test('a page enables every unit with an [Install] section, so that it starts with the machine', () => {
  const text = pages.map(read).join('\n')
  for (const path of deployFiles.filter(
    (file) => /\.(?:service|timer)$/.test(file) && read(file).includes('[Install]'),
  )) {
    // An instance such as cairn-keynode@1; a service needs no extension.
    const name = path
      .replace(/^.*\//, '')
      .replace(/\.service$/, '')
      .replace('@', '@1')
    expect(text).toContain(`systemctl enable --now ${name}`)
  }
})
