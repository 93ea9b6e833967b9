// Compares a page with a picture of it in the repository, reduced and by the mean of small tiles, so that
// a text with another colour or position is detected, and compression noise is not.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'

/** Width of pictures as a fraction of the page. */
const scale = 0.5
/** A side of a tile in pixels of the reduced picture. */
const tilePixels = 8
/** Mean difference of a tile, of 255, that counts as a change. Compression alone stays below 6. */
const maxTileDifference = 14
const folder = join(import.meta.dirname, 'pictures')
const isUpdate = process.env['CAIRN_TEST_PICTURES'] === 'update'
/** Where differing pictures are stored for review. */
const differing = join(import.meta.dirname, '../../build/pictures-differing')

/** A reduced picture, and its differences from another one. */
export type ComparedPicture = {
  /** As WebP. */
  picture: Buffer
  /** Number of differing tiles. */
  tiles: number
  /** Position of the first one in the page. */
  first: string
}

/**
 * Compares with the stored picture of this name. Returns nothing, or the number of differing tiles and the position of the first.
 * `CAIRN_TEST_PICTURES=update` stores a new picture.
 * @param mask parts that differ each time: ids, addresses, times
 */
export async function comparePicture(page: Page, name: string, mask: Locator[]): Promise<string[]> {
  const path = join(folder, `${name}.webp`)
  const { picture, tiles, first } = await takePicture(page, mask, isUpdate ? undefined : await readFile(path))
  if (isUpdate) await writeFile(path, picture)
  if (tiles === 0) return []
  await mkdir(differing, { recursive: true })
  await writeFile(join(differing, `${name}.webp`), picture)
  return [`${name}: ${tiles} tiles differ, the first at ${first}`]
}

/** Takes a reduced picture of a page and compares it with a stored one. */
export async function takePicture(page: Page, mask: Locator[], kept?: Buffer): Promise<ComparedPicture> {
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const shot = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    scale: 'css',
    mask,
    maskColor: '#888888',
  })
  // In a separate page, because the console's policy permits none of this.
  const tool = await page.context().newPage()
  try {
    const compared: { picture: string; tiles: number; first: string } = await tool.evaluate(
      `(${compare})(${JSON.stringify({
        shot: shot.toString('base64'),
        kept: kept?.toString('base64'),
        scale,
        tilePixels,
        maxTileDifference,
      })})`,
    )
    return { ...compared, picture: Buffer.from(compared.picture, 'base64') }
  } finally {
    await tool.close()
  }
}

/** Runs in the page. */
const compare = `async ({ shot, kept, scale, tilePixels, maxTileDifference }) => {
  const draw = async (base64, type, size) => {
    const image = await createImageBitmap(new Blob([Uint8Array.fromBase64(base64)], { type }))
    const width = size?.width ?? Math.round(image.width * scale)
    const height = size?.height ?? Math.round(image.height * scale)
    if (size !== undefined && (image.width !== width || image.height !== height)) return undefined
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, width, height)
    return { canvas, pixels: context.getImageData(0, 0, width, height).data, width, height }
  }
  const now = await draw(shot, 'image/png')
  const blob = await now.canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })
  const picture = new Uint8Array(await blob.arrayBuffer()).toBase64()
  if (kept === undefined) return { picture, tiles: 0, first: '' }
  const before = await draw(kept, 'image/webp', now)
  if (before === undefined) return { picture, tiles: 1, first: 'another size' }
  let tiles = 0
  let first = ''
  for (let top = 0; top < now.height; top += tilePixels) {
    for (let left = 0; left < now.width; left += tilePixels) {
      let sum = 0
      let count = 0
      for (let y = top; y < Math.min(top + tilePixels, now.height); y++) {
        for (let x = left; x < Math.min(left + tilePixels, now.width); x++) {
          const at = (y * now.width + x) * 4
          for (let channel = 0; channel < 3; channel++) sum += Math.abs(now.pixels[at + channel] - before.pixels[at + channel])
          count += 3
        }
      }
      if (sum / count <= maxTileDifference) continue
      tiles++
      first ||= Math.round(left / scale) + ', ' + Math.round(top / scale)
    }
  }
  return { picture, tiles, first }
}`
