import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogGate } from '@cairn/service'
import Fastify from 'fastify'
import type { CID } from 'multiformats/cid'
import sharp, { type Metadata } from 'sharp'
import { readConfig } from '../config.ts'
import { createTestGateway } from '../gateway/test-gateway.fixture.ts'
import { createStorageMetrics } from '../metrics.ts'
import { createDenylist } from '../moderation/denylist.ts'
import { createPictures, type PictureSettings } from './pictures.ts'

export type PictureGatewayOptions = Pick<PictureSettings, 'limits' | 'findVersion'> & {
  processes?: number
  cacheBytes?: number
  /** Folder of an earlier gateway; a new one by default. */
  home?: string
}

/** Starts a gateway that resizes pictures, in a temporary folder. No answer is repeated without asking for the picture. */
export async function openPictureGateway({
  processes = 1,
  cacheBytes = 1_000_000,
  home: given,
  ...own
}: PictureGatewayOptions = {}) {
  const home = given ?? (await mkdtemp(join(tmpdir(), 'cairn-pictures-')))
  const metrics = createStorageMetrics()
  const failures = createLogGate({ clock: Date, log: Fastify({ logger: false }).log })
  const config = { ...readConfig({ CAIRN_HOME: home }), pictures: { processes, cacheBytes } }
  const pictures = createPictures({ config, metrics, failures, ...own })
  const denylist = createDenylist(undefined)
  let time = 0
  const now = () => {
    time += 60_000
    return time
  }
  const gateway = createTestGateway({ pictures, denylist, now })
  return {
    ...gateway,
    home,
    pictures,
    denylist,
    get: (path: string, headers: Record<string, string> = {}) => gateway.app.inject({ url: path, headers }),
    /** Number of results so far. */
    async count() {
      const { values } = await metrics.pictures.get()
      return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))
    },
    async [Symbol.asyncDispose]() {
      await gateway.app.close()
      await pictures[Symbol.asyncDispose]()
      if (given === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}

export type PictureGateway = Awaited<ReturnType<typeof openPictureGateway>>

/** Requests a picture, and returns what it is. */
export async function inspectPicture(
  { get }: Pick<PictureGateway, 'get'>,
  cid: CID,
  query: string,
  headers: Record<string, string> = {},
): Promise<Metadata & { contentType: unknown; bytes: Buffer }> {
  const answer = await get(`/ipfs/${cid}?${query}`, headers)
  if (answer.statusCode !== 200) throw new Error(`${query}: ${answer.statusCode} ${answer.body}`)
  const metadata = await sharp(answer.rawPayload).metadata()
  return { ...metadata, contentType: answer.headers['content-type'], bytes: answer.rawPayload }
}

type MadeFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff'

/** Makes a picture: the left half is red, the right one blue, with noise that a lower quality loses. */
export async function makePicture(
  format: MadeFormat,
  { width = 400, height = 200 }: { width?: number; height?: number } = {},
): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at++) {
    const isLeft = at % width < width / 2
    const noise = (Math.imul(at, 2_654_435_761) >>> 0) % 40
    pixels.set(isLeft ? [215 + noise, noise, noise] : [noise, noise, 215 + noise], at * 3)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer()
}

/** Makes a PNG that does not compress. */
export function makeNoise(width: number, height: number): Promise<Buffer> {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Makes an animation of plain frames. */
export function makeAnimation(format: 'gif' | 'webp', frames: number, side = 64): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * 3 * frames)
  for (let frame = 0; frame < frames; frame++) {
    pixels.fill(30 + ((frame * 70) % 200), frame * side * side * 3, (frame + 1) * side * side * 3)
  }
  return sharp(pixels, { raw: { width: side, height: side * frames, channels: 3, pageHeight: side } })
    .toFormat(format, { delay: Array<number>(frames).fill(100), loop: 0 })
    .toBuffer()
}

/** Makes a JPEG like a camera: rotated by 90 degrees, with its location. */
export async function makeCameraPicture(): Promise<Buffer> {
  return sharp(await makePicture('png'))
    .withExif({
      IFD0: { Make: 'Test camera', Copyright: 'Someone' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '51/1 30/1 3230/100',
        GPSLongitudeRef: 'W',
        GPSLongitude: '0/1 7/1 4366/100',
      },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}
