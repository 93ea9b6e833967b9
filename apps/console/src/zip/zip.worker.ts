import { CairnError, restoreError } from '@cairn/sdk'
import { loadCode } from '../parts/load-code.ts'
import type { WriteOrder, ZipEvent, ZipOrder } from './zip-order.ts'

const emit = (event: ZipEvent) => postMessage(event)
/** Keys that were requested from the page. */
const wanted = new Map<string, PromiseWithResolvers<string>>()

function needKey(cid: string): Promise<string> {
  const known = wanted.get(cid)
  if (known !== undefined) return known.promise
  const request = Promise.withResolvers<string>()
  wanted.set(cid, request)
  emit({ kind: 'need-key', cid })
  return request.promise
}

async function write(order: WriteOrder): Promise<ZipEvent> {
  // Loaded separately from the worker, so that neither file is large.
  const { writeZip } = await loadCode(import('./write-zip.ts'))
  const onProgress = (fileCount: number, bytes: number) => emit({ kind: 'progress', fileCount, bytes })
  return { kind: 'written', ...(await writeZip(order, { needKey, onProgress })) }
}

addEventListener('message', ({ data: order }: MessageEvent<ZipOrder>) => {
  if (order.kind === 'key') wanted.get(order.cid)?.resolve(order.masterKey)
  else if (order.kind === 'no-key') wanted.get(order.cid)?.reject(restoreError(order.error.code, order.error))
  else write(order).then(emit, (error: unknown) => emit({ kind: 'failed', error: CairnError.from(error).toJSON() }))
})
