import { basename, resolve } from 'node:path'
import { CairnError } from '@cairn/sdk'
import { type CommandContext, flag, text } from '../command.ts'
import { createCarSource } from '../import/car-source.ts'
import { createCidSource } from '../import/cid-source.ts'
import { createGateway, type Gateway } from '../import/gateway.ts'
import type { ImportItem } from '../import/import-source.ts'
import { openList, readCidList } from '../import/read-cid-list.ts'
import { createS3Source, parseS3Url } from '../import/s3-source.ts'
import type { NamedSource } from './import-content.ts'

type OpenSource = (context: CommandContext) => NamedSource

const sources: Readonly<Record<string, OpenSource>> = { cids: openCids, cars: openCars }

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
        async *items() {
          for await (const item of readCidList(await openList(path, context.stdin))) yield mark(context, item)
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
      if (roots !== undefined) {
        for await (const item of readCidList(await openList(roots, context.stdin))) listed.push(mark(context, item))
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
  const [endpoint, region] = [text(values, 'endpoint'), text(values, 'region')]
  return { label: location.bucket, open: () => createS3Source({ ...location, endpoint, region }) }
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
  return urls.map(createGateway)
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
