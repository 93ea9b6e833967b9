import { maxThumbnailBytes } from '@cairn/protocol'
import { choosePreview } from '../preview/preview-kind.ts'

/** Lengths of the longer edge in pixels, and qualities, which are tried until the picture is small enough. */
const attempts = [
  [360, 0.7],
  [240, 0.6],
  [160, 0.5],
] as const
/** Bytes that the encryption adds, with a reserve. */
const overheadBytes = 64
/** Decoding a larger picture would take too much memory. */
const maxPictureBytes = 64 * 1024 * 1024
/** A smaller picture is its own thumbnail. */
const minPictureBytes = 16 * 1024

/** Returns whether a file gets a thumbnail: pictures that browsers decode to pixels. */
export function hasThumbnail(name: string, mimeType: string | null, sizeBytes: number): boolean {
  const isPicture = choosePreview(name, mimeType).kind === 'image'
  return isPicture && sizeBytes >= minPictureBytes && sizeBytes <= maxPictureBytes
}

/** Draws a small WebP of a picture in this browser; undefined if it cannot be drawn. */
export async function makeThumbnail(picture: Blob): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined)
  if (bitmap === undefined) return undefined
  try {
    for (const [maxEdge, quality] of attempts) {
      const scale = Math.min(1, maxEdge / Math.max(bitmap.width, bitmap.height))
      const [width, height] = [bitmap.width, bitmap.height].map((edge) => Math.max(1, Math.round(edge * scale)))
      const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
      const drawn = await canvas.convertToBlob({ type: thumbnailType, quality })
      if (drawn.size + overheadBytes <= Math.min(maxThumbnailBytes, picture.size)) return drawn
    }
    return undefined
  } finally {
    bitmap.close()
  }
}

/** The type with which thumbnails are shown, whatever they contain. */
export const thumbnailType = 'image/webp'
