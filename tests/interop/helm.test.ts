// The chart as Helm renders it: every object conforms to the Kubernetes API, and has the settings that the service reads.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyNodeSettings, keyRouterSettings } from '@cairn/keynode'
import { providerSettings } from '@cairn/provider'
import { settings } from '@cairn/storage'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { readConfig } from '../../services/storage/src/config.ts'
import { helm, isInstalled, kubernetesTypes, requireBinary } from './binaries.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..', '..')
const chart = join(root, 'deploy/helm/cairn')

/** Returns a block of values as the page prints it. */
async function readValues(start: string): Promise<string> {
  const page = await readFile(join(root, 'docs/operate/kubernetes.md'), 'utf8')
  const blocks = [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```$/gm)]
  const texts = blocks.map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  const found = texts.find((text) => text.startsWith(start))
  if (found === undefined) throw new Error(`the page has no values that start with ${start}`)
  return found
}

/** A program built from its sources states no version of Kubernetes. */
const cluster = ['--kube-version', '1.34.0']

const tables: Record<string, object> = {
  storage: settings,
  keynode: keyNodeSettings,
  keyrouter: keyRouterSettings,
  provider: providerSettings,
}

/** The parts of a rendered object that tests read. */
const object = v.object({
  kind: v.string(),
  metadata: v.object({ name: v.string() }),
  spec: v.object({
    replicas: v.optional(v.number()),
    template: v.optional(
      v.object({
        spec: v.object({
          containers: v.array(
            v.object({
              name: v.string(),
              image: v.string(),
              readinessProbe: v.object({ httpGet: v.object({ path: v.string() }) }),
              env: v.array(v.object({ name: v.string(), value: v.string() })),
              volumeMounts: v.array(v.object({ mountPath: v.string() })),
            }),
          ),
        }),
      }),
    ),
    rules: v.optional(
      v.array(
        v.object({
          host: v.string(),
          http: v.object({
            paths: v.array(v.object({ backend: v.object({ service: v.object({ name: v.string() }) }) })),
          }),
        }),
      ),
    ),
  }),
})

describe.skipIf(!isInstalled(helm) || !isInstalled(kubernetesTypes))('Helm', () => {
  let scratch = ''
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cairn-helm-'))
  })
  afterAll(async () => {
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  async function run(command: readonly string[], values: string): Promise<string> {
    const file = join(scratch, 'values.yaml')
    await writeFile(file, values)
    const env = { HOME: scratch, PATH: process.env['PATH'] }
    return (
      await runProgram(requireBinary(helm), [...command, ...cluster, '-f', file], { env, timeoutMs: 60_000 })
    ).toString()
  }

  /** Renders the chart, and decodes every object with the types of the Kubernetes API. */
  async function render(values: string) {
    const text = await run(['template', 'cairn', chart, '-n', 'cairn'], values)
    await runProgram(requireBinary(kubernetesTypes), [], { stdin: Buffer.from(text), env: {}, timeoutMs: 60_000 })
    return parseAllDocuments(text)
      .map((document): unknown => document.toJS())
      .filter((document) => document !== null)
      .map((document) => v.parse(object, document))
  }

  const base = { domain: 'example.org', gatewayDomain: 'example-content.org', reportAddress: 'abuse@example.org' }
  const onS3 = { settings: { CAIRN_OBJECTS_URL: 's3://cairn/packs' } }

  test('the values of the page are valid, and give replicas with an ingress', async () => {
    const page = await readValues('domain: example.org\ngatewayDomain:')
    expect(await run(['lint', '--strict', chart], page)).toContain('0 chart(s) failed')
    const objects = await render(page)
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Deployment cairn-keyrouter',
      'Deployment cairn-storage',
      'Ingress cairn-gateway',
      'Ingress cairn-services',
      'PodDisruptionBudget cairn-storage',
      'Service cairn-keyrouter',
      'Service cairn-storage',
    ])
    const hosts = objects.flatMap(({ spec }) => spec.rules ?? []).map(({ host }) => host)
    expect(hosts.sort()).toEqual([
      '*.ipfs.example-content.org',
      '*.ipns.example-content.org',
      'api.example.org',
      'example-content.org',
      'keys.example.org',
    ])
  })

  test('the values of the page for a key node give that node only', async () => {
    const objects = await render(await readValues('domain: example.org\ntrustedProxies:'))
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Ingress cairn-services',
      'Service cairn-keynode',
      'StatefulSet cairn-keynode',
    ])
  })

  test('with everything enabled, each container has the settings of its service, and files for its secrets', async () => {
    const objects = await render(
      stringify({
        ...base,
        trustedProxies: ['10.0.0.0/8', '192.168.0.0/16'],
        storage: { ...onS3, s3Api: { enabled: true }, tolerations: [{ operator: 'Exists' }] },
        keynode: { enabled: true, number: 3 },
        provider: { enabled: true, publicUrl: 'https://provider.example.org' },
        metrics: { enabled: true },
        traces: { url: 'http://collector:4318/v1/traces' },
        image: { pullSecrets: [{ name: 'registry' }] },
      }),
    )
    const containers = objects.flatMap(({ spec }) => spec.template?.spec.containers ?? [])
    expect(containers.map(({ name }) => name).sort()).toEqual(['keynode', 'keyrouter', 'provider', 'storage'])
    for (const { name, env, volumeMounts } of containers) {
      const known = Object.keys(tables[name] ?? {})
      const names = env.map((one) => one.name)
      expect(names.filter((one) => !known.includes(one.replace(/_FILE$/, '')))).toEqual([])
      expect(new Set(names).size).toBe(names.length)
      expect(env.find((one) => one.name === 'CAIRN_TRUSTED_PROXIES')?.value).toBe('10.0.0.0/8,192.168.0.0/16')
      expect(env.find((one) => one.name === 'CAIRN_TRACES_PERCENT')?.value).toBe('5')
      const readsFiles = names.some((one) => one.endsWith('_FILE'))
      expect(volumeMounts.some(({ mountPath }) => mountPath === '/run/secrets/cairn')).toBe(readsFiles)
    }
    expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(4)
  })

  test('gateway-only pods stay ready without S3, and get the requests of its hosts', async () => {
    const storage = { ...onS3, gatewayReplicas: 3 }
    const objects = await render(stringify({ ...base, storage, metrics: { enabled: true } }))
    const pods = objects.flatMap(({ metadata, spec }) =>
      (spec.template?.spec.containers ?? []).map(({ image, readinessProbe }) => [
        metadata.name,
        spec.replicas,
        image.split(':')[0],
        readinessProbe.httpGet.path,
      ]),
    )
    expect(pods.toSorted()).toEqual([
      ['cairn-gateway', 3, 'cairn-storage', '/readyz?for=reads'],
      ['cairn-keyrouter', 1, 'cairn-keyrouter', '/readyz'],
      ['cairn-storage', 2, 'cairn-storage', '/readyz'],
    ])
    const env = objects.flatMap(({ spec }) => spec.template?.spec.containers ?? []).map((one) => one.env)
    const [gateway, , api] = pods
      .map(([name], at) => ({ name, env: env[at] }))
      .toSorted((a, b) => (`${a.name}` < `${b.name}` ? -1 : 1))
    expect(gateway?.env).toEqual(api?.env)
    const backends = objects
      .flatMap(({ spec }) => spec.rules ?? [])
      .map(({ host, http }) => [host, http.paths.map(({ backend }) => backend.service.name)])
    expect(backends.toSorted()).toEqual([
      ['*.ipfs.example-content.org', ['cairn-gateway']],
      ['*.ipns.example-content.org', ['cairn-gateway']],
      ['api.example.org', ['cairn-storage']],
      ['example-content.org', ['cairn-gateway']],
      ['keys.example.org', ['cairn-keyrouter']],
    ])
    const kinds = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    for (const name of [
      'Service cairn-gateway',
      'PodDisruptionBudget cairn-gateway',
      'NetworkPolicy cairn-gateway-metrics',
    ])
      expect(kinds).toContain(name)
  })

  test('jobs of the Prometheus Operator have the names that the alerts expect, in any namespace', async () => {
    const values = stringify({ ...base, storage: onS3, metrics: { enabled: true, podMonitor: true } })
    const text = await run(['template', 'cairn', chart, '-n', 'files'], values)
    const jobs = [...text.matchAll(/targetLabel: job, replacement: (\S+) \}/g)].map(([, job = '']) => job)
    expect(jobs).toEqual(['cairn-keyrouter', 'cairn-storage'])
    const alerts = await readFile(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')
    const [, pattern = 'none'] = /up\{job=~"([^"]+)"\}/.exec(alerts) ?? []
    for (const job of jobs) expect(job).toMatch(new RegExp(`^${pattern}$`))
  })

  test('settings reach a service as the text it reads, however YAML reads their values', async () => {
    const objects = await render(`${stringify(base)}
storage:
  settings:
    CAIRN_OBJECTS_URL: s3://cairn/packs
    CAIRN_S3_FORCE_PATH_STYLE: on
    CAIRN_SHARED_MESSAGES: off
    CAIRN_FREE_BYTES: 107374182400
    CAIRN_SCRUB_BYTES_PER_SECOND: 16777216
    CAIRN_RATE_FACTOR: 2
    CAIRN_FREE_TOTAL_BYTES: ''
    CAIRN_DRAIN_SECONDS: null
keyrouter:
  enabled: false
`)
    const env = objects.flatMap(({ spec }) => spec.template?.spec.containers ?? []).flatMap((one) => one.env)
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    expect(values).toMatchObject({
      CAIRN_S3_FORCE_PATH_STYLE: 'on',
      CAIRN_SHARED_MESSAGES: 'off',
      CAIRN_FREE_BYTES: '107374182400',
      CAIRN_SCRUB_BYTES_PER_SECOND: '16777216',
      CAIRN_RATE_FACTOR: '2',
      CAIRN_FREE_TOTAL_BYTES: '',
    })
    expect(values).not.toHaveProperty('CAIRN_DRAIN_SECONDS')
    const withoutFiles = Object.entries(values).filter(([name]) => !name.endsWith('_FILE'))
    expect(() =>
      readConfig({ ...Object.fromEntries(withoutFiles), CAIRN_DATABASE_URL: 'postgres://x/y' }),
    ).not.toThrow()
  })

  test('one replica with a disk is a StatefulSet', async () => {
    const alone = { replicas: 1, home: { persistent: true }, secret: { files: { CAIRN_DATABASE_URL: null } } }
    const objects = await render(stringify({ ...base, storage: alone, ingress: { enabled: false } }))
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain('StatefulSet cairn-storage')
    const [storage] = objects
      .flatMap(({ spec }) => spec.template?.spec.containers ?? [])
      .filter(({ name }) => name === 'storage')
    expect(storage?.env.map(({ name }) => name)).not.toContain('CAIRN_DATABASE_URL_FILE')
  })

  test.each([
    ['no domain', { ...base, domain: '', storage: onS3 }, 'Set domain'],
    ['a gateway on the domain of the API', { ...base, gatewayDomain: 'ipfs.example.org', storage: onS3 }, 'cookies'],
    ['replicas without S3', base, 'More than one replica requires PostgreSQL'],
    ['the only copy without a disk', { ...base, storage: { replicas: 1 } }, 'the only copy'],
    [
      'a gateway of its own beside the only copy',
      { ...base, storage: { ...onS3, gatewayReplicas: 2, home: { persistent: true } } },
      'Pods for the gateway alone',
    ],
    ['four key nodes', { ...base, storage: onS3, keyrouter: { nodes: ['a', 'b', 'c', 'd'] } }, 'must name five'],
  ])('rejects %s', async (_what, values, message) => {
    await expect(render(stringify(values))).rejects.toThrow(message)
  })
})
