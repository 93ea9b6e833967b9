import type { PictureOptions } from './picture-options.ts'
import { type PictureLimits, type RenderedPicture, type RenderFailure, renderPicture } from './render-picture.ts'

/** A message of the service: the bytes of a file in order, then how to render them, or that they are not needed. */
export type PictureTask =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'render'; options: PictureOptions; limits: PictureLimits }
  | { kind: 'drop' }

/** The response of the process to `render`. */
export type PictureAnswer =
  | { kind: 'rendered'; picture: RenderedPicture }
  | { kind: 'failed'; reason: RenderFailure }
  | { kind: 'unavailable'; reason: string }

/** Readers of pictures in memory. All others are blocked: those of files, of drawings with links, and of documents. */
const readers = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`)

async function openLibrary() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: readers })
  return sharp
}

let parts: Uint8Array[] = []

async function answer({ options, limits }: Extract<PictureTask, { kind: 'render' }>): Promise<PictureAnswer> {
  const bytes = Buffer.concat(parts)
  parts = []
  let open: Awaited<ReturnType<typeof openLibrary>>
  try {
    open = await openLibrary()
  } catch (error) {
    return { kind: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
  }
  const result = await renderPicture(open, bytes, options, limits)
  return typeof result === 'string' ? { kind: 'failed', reason: result } : { kind: 'rendered', picture: result }
}

/** Process side of `createPictureProcesses`: renders one picture at a time, and ends when the service does. */
process.on('message', async (task: PictureTask) => {
  if (task.kind === 'bytes') parts.push(task.bytes)
  else if (task.kind === 'drop') parts = []
  else process.send?.(await answer(task))
})
