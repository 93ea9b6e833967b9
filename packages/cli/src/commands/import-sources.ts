import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { CairnError } from '@cairn/sdk'
import { openSealingKey } from '../archive/sealing-wallet.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { createCarSource } from '../import/car-source.ts'
import { type CidSourceOptions, createCidSource } from '../import/cid-source.ts'
import { findUploadLists } from '../import/find-upload-lists.ts'
import { createGateway, type Gateway } from '../import/gateway.ts'
import type { ImportItem } from '../import/import-source.ts'
import { type ListService, listLighthouse, listPinata, listPins } from '../import/listed-services.ts'
import { openList, readCidList } from '../import/read-cid-list.ts'
import { createS3Source, parseS3Url } from '../import/s3-source.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { countOf } from '../text/count-of.ts'
import type { NamedSource } from './import-content.ts'

type OpenSource = (context: CommandContext) => NamedSource

const sources: Readonly<Record<string, OpenSource>> = {
  cids: openCids,
  cars: openCars,
  lighthouse: openLighthouse,
  pinata: openPinata,
  pins: openPins,
}

/** First arguments that name a source. A folder of this name is written as `./cids`. */
export const sourceWords = Object.keys(sources)

/** Returns the source that the first argument names; undefined for a folder. */
export function openSource(context: CommandContext, word: string): NamedSource | undefined {
  const bucket = parseS3Url(word)
  if (bucket !== undefined) return openS3(context, bucket)
  const open = Object.hasOwn(sources, word) ? sources[word] : undefined
  return open?.(context)
}

function openCids(context: CommandContext): NamedSource {
  const path = onlyArgument(context, 'cids', 'list')
  return {
    label: path === '-' ? 'cids' : basename(path),
    open: async ({ stagingFolder }) =>
      createCidSource({
        id: `cids ${path === '-' ? '-' : resolve(path)}`,
        gateways: readGateways(context),
        stagingFolder,
        async *items(signal) {
          for await (const item of readCidList(await openList(path, context.stdin), signal)) yield mark(context, item)
        },
      }),
  }
}

function openCars(context: CommandContext): NamedSource {
  const paths = context.args.slice(1)
  const [first = ''] = paths
  if (first === '') throw new CairnError('USAGE', { message: 'import cars requires a CAR or a folder' })
  const roots = text(context.values, 'roots')
  return {
    label: basename(resolve(first)),
    async open() {
      const listed: ImportItem[] = []
      for (const list of roots === undefined ? await findUploadLists(paths) : [roots]) {
        const before = listed.length
        for await (const item of readCidList(await openList(list, context.stdin))) listed.push(mark(context, item))
        context.output.note(`${list} lists ${countOf(listed.length - before, 'upload')}`)
      }
      const id = `cars ${paths.map((path) => resolve(path)).join(' ')}`
      return createCarSource(id, paths, listed, flag(context.values, 'encrypted'), context.output.note)
    },
  }
}

function openS3(context: CommandContext, location: { bucket: string; prefix: string }): NamedSource {
  const { args, values } = context
  if (args.length > 1) throw new CairnError('USAGE', { message: 'import takes one s3:// address' })
  if (flag(values, 'encrypted')) {
    throw new CairnError('USAGE', { message: '--encrypted does not apply to a bucket, which contains no CIDs' })
  }
  const endpoint = text(values, 'endpoint') ?? context.environment.imports.s3Endpoint
  const region = text(values, 'region')
  return { label: location.bucket, open: () => createS3Source({ ...location, endpoint, region }) }
}

function openLighthouse(context: CommandContext): NamedSource {
  const service = {
    word: 'lighthouse',
    list: listLighthouse,
    address: 'https://api.lighthouse.storage',
    gateway: 'https://gateway.lighthouse.storage',
    key: context.environment.imports.lighthouseKey,
    variable: 'LIGHTHOUSE_API_KEY',
  }
  if (!flag(context.values, 'wallet')) return openListed(context, service)
  return openListed(context, service, async () => {
    const client = await openKeyClient(context)
    const keyHost = text(context.values, 'source-keys') ?? 'https://encryption.lighthouse.storage'
    const { createKeyMover } = await import('../import/lighthouse-keys.ts')
    const mover = createKeyMover(keyHost, await openSealingKey(context, client), client)
    return async (item, signal) => {
      if (item.isEncrypted) await mover.move(item, signal)
    }
  })
}

function openPinata(context: CommandContext): NamedSource {
  return openListed(context, {
    word: 'pinata',
    list: listPinata,
    address: 'https://api.pinata.cloud',
    gateway: 'https://gateway.pinata.cloud',
    key: context.environment.imports.pinataJwt,
    variable: 'PINATA_JWT',
  })
}

function openPins(context: CommandContext): NamedSource {
  return openListed(context, {
    word: 'pins',
    list: listPins,
    address: undefined,
    gateway: undefined,
    key: context.environment.imports.pinningToken,
    variable: 'PINNING_SERVICE_TOKEN',
  })
}

type ListedService = {
  word: string
  list: ListService
  /** Base URL of the service; undefined for a kind of service. */
  address: string | undefined
  gateway: string | undefined
  /** Key in the environment, and the name of the variable. */
  key: string | undefined
  variable: string
}

/** A service that lists CIDs, whose content a gateway has. @throws CairnError USAGE */
function openListed(
  context: CommandContext,
  { word, list, address, gateway, key, variable }: ListedService,
  openKeys?: () => Promise<CidSourceOptions['prepare']>,
): NamedSource {
  const { args, values } = context
  if (args.length > 1) throw new CairnError('USAGE', { message: `import ${word} takes no further argument` })
  const given = text(values, 'source')
  const base = given ?? address
  if (base === undefined) {
    throw new CairnError('USAGE', {
      message: `import ${word} requires --source`,
      hint: 'Name the address of the service, such as --source https://api.example.com.',
    })
  }
  if (!URL.canParse(base)) throw new CairnError('USAGE', { message: `${base} is not a URL` })
  return {
    label: word,
    async open({ stagingFolder }) {
      const gateways = readGateways(context, given === undefined ? gateway : undefined)
      const token = await readSourceKey(context, key, variable)
      const prepare = flag(values, 'dry-run') ? undefined : await openKeys?.()
      return createCidSource({
        id: `${word} ${base}`,
        gateways,
        stagingFolder,
        async *items(signal) {
          for await (const listed of list(base, token, signal)) {
            const item = mark(context, listed)
            // A later run with the wallet still has to save the key.
            yield prepare !== undefined && item.isEncrypted ? { ...item, id: `${item.id} with key` } : item
          }
        },
        ...(prepare === undefined ? {} : { prepare }),
      })
    },
  }
}

/** @throws CairnError USAGE without a key */
async function readSourceKey({ values }: CommandContext, key: string | undefined, variable: string): Promise<string> {
  const path = text(values, 'source-key-file')
  if (path !== undefined) {
    const content = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
    })
    return content.trim()
  }
  if (key !== undefined) return key
  throw new CairnError('USAGE', {
    message: 'This import requires a key of the service',
    hint: `Set ${variable}, or name a file with --source-key-file.`,
  })
}

/** @throws CairnError USAGE without a gateway */
function readGateways({ values }: CommandContext, fallback?: string): Gateway[] {
  const given = values['gateway']
  const urls = Array.isArray(given) ? given.filter((url) => typeof url === 'string') : []
  if (urls.length === 0 && fallback !== undefined) urls.push(fallback)
  if (urls.length === 0) {
    throw new CairnError('USAGE', {
      message: 'This import requires --gateway',
      hint: 'Name a trustless gateway that has the content, such as --gateway https://ipfs.io.',
    })
  }
  for (const url of urls) {
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) continue
    throw new CairnError('USAGE', { message: `--gateway is not an http or https URL: ${JSON.stringify(url)}` })
  }
  return urls.map((url) => createGateway(url))
}

function mark({ values }: CommandContext, item: ImportItem): ImportItem {
  return flag(values, 'encrypted') ? { ...item, isEncrypted: true } : item
}

/** @throws CairnError USAGE */
function onlyArgument({ args }: CommandContext, word: string, what: string): string {
  const [, value, extra] = args
  if (value === undefined) throw new CairnError('USAGE', { message: `import ${word} requires a ${what}` })
  if (extra !== undefined)
    throw new CairnError('USAGE', { message: `import ${word} does not accept the argument ${JSON.stringify(extra)}` })
  return value
}
