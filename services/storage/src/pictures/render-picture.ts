import type { ResizeOptions, Sharp, SharpOptions } from 'sharp'
import type { PictureFormat, PictureOptions } from './picture-options.ts'

/** Limits of one picture. */
export type PictureLimits = {
  /** Width times height of the file, all frames included. */
  maxInputPixels: number
  /** The same for AVIF, whose decoder uses 20 bytes per pixel. */
  maxAvifPixels: number
  maxSidePixels: number
  maxOutputBytes: number
}

/** A rendered picture. */
export type RenderedPicture = { contentType: string; bytes: Uint8Array }

/** Why a picture could not be rendered. */
export type RenderFailure = 'not-a-picture' | 'too-many-pixels' | 'result-too-large'

/** The part of the library that is used. */
export type OpenPicture = (bytes: Uint8Array, options: SharpOptions) => Sharp

type Source = { format: PictureFormat; isAnimation: boolean; hasAlpha: boolean }

const white = '#ffffff'
/** The default of AVIF looks like the 85 of JPEG and WebP. */
const defaultQuality = { jpeg: 85, webp: 85, avif: 60 }

/**
 * Renders one picture: applies the orientation, removes all metadata, converts colours to sRGB, resizes and encodes.
 * An animation keeps its frames if the format of the result has frames and all of them together are within the pixel
 * limit, before and after; otherwise the result is its first frame.
 */
export async function renderPicture(
  open: OpenPicture,
  bytes: Uint8Array,
  options: PictureOptions,
  limits: PictureLimits,
): Promise<RenderedPicture | RenderFailure> {
  try {
    const common = { failOn: 'error', limitInputPixels: limits.maxInputPixels } as const
    const source = await inspect(open(bytes, common), options, limits)
    if (typeof source === 'string') return source
    const format = chooseFormat(options, source)
    const animated = source.isAnimation && (format === 'gif' || format === 'webp')
    const picture = open(bytes, { ...common, animated, autoOrient: true }).resize(
      resizeOptions(options, limits.maxSidePixels, animated),
    )
    const result = await encode(picture, format, options.quality).toBuffer()
    if (result.length > limits.maxOutputBytes) return 'result-too-large'
    return { contentType: `image/${format}`, bytes: result }
  } catch (error) {
    // The library reports every problem of a file as an error with a text.
    return error instanceof Error && error.message.includes('pixel limit') ? 'too-many-pixels' : 'not-a-picture'
  }
}

async function inspect(
  picture: Sharp,
  options: PictureOptions,
  { maxInputPixels, maxAvifPixels, maxSidePixels }: PictureLimits,
): Promise<Source | RenderFailure> {
  const { format, compression, pages = 1, width, height, hasAlpha } = await picture.metadata()
  const framePixels = Math.max(width * height, pixelsOfResult({ width, height }, options, maxSidePixels))
  const isAnimation = options.isAnimated && pages > 1 && pages * framePixels <= maxInputPixels
  switch (format) {
    case 'jpeg':
    case 'png':
      return { format, hasAlpha, isAnimation: false }
    case 'webp':
    case 'gif':
      return { format, hasAlpha, isAnimation }
    case 'heif':
      if (compression !== 'av1') return 'not-a-picture'
      if (width * height > maxAvifPixels) return 'too-many-pixels'
      return { format: 'avif', hasAlpha, isAnimation: false }
    default:
      return 'not-a-picture'
  }
}

function chooseFormat({ format, accepted }: PictureOptions, source: Source): PictureFormat {
  if (format === 'source') return source.format
  if (format !== 'auto') return format
  if (source.isAnimation) return accepted.includes('webp') ? 'webp' : 'gif'
  const [best] = accepted
  if (best !== undefined) return best
  if (source.format === 'jpeg' || source.format === 'png') return source.format
  return source.hasAlpha ? 'png' : 'jpeg'
}

/** Both sides are always bounded, whatever the proportions of the file are. */
function resizeOptions(
  { widthPx, heightPx, fit, gravity }: PictureOptions,
  maxSidePixels: number,
  animated: boolean,
): ResizeOptions {
  const withoutEnlargement = fit === 'scale-down' || fit === 'crop'
  if (widthPx === undefined || heightPx === undefined || fit === 'scale-down' || fit === 'contain') {
    return { width: widthPx ?? maxSidePixels, height: heightPx ?? maxSidePixels, fit: 'inside', withoutEnlargement }
  }
  const box = { width: widthPx, height: heightPx }
  if (fit === 'pad') return { ...box, fit: 'contain', background: white }
  // The library finds the focal area of still pictures only.
  const position = gravity !== 'auto' ? gravity : animated ? 'center' : 'attention'
  return { ...box, fit: 'cover', position, withoutEnlargement }
}

/** Returns the pixels of a resized frame, before anything is cut off. */
function pixelsOfResult(
  { width, height }: { width: number; height: number },
  options: PictureOptions,
  maxSidePixels: number,
): number {
  const { width: boxWidth = width, height: boxHeight = height, ...box } = resizeOptions(options, maxSidePixels, true)
  if (box.fit === 'contain') return boxWidth * boxHeight
  const factors = [boxWidth / width, boxHeight / height]
  const factor = box.fit === 'cover' ? Math.max(...factors) : Math.min(...factors)
  return width * height * (box.withoutEnlargement ? Math.min(1, factor) : factor) ** 2
}

function encode(picture: Sharp, format: PictureFormat, quality: number | undefined): Sharp {
  switch (format) {
    case 'jpeg':
      return picture.flatten({ background: white }).jpeg({ quality: quality ?? defaultQuality.jpeg })
    case 'webp':
      return picture.webp({ quality: quality ?? defaultQuality.webp })
    case 'avif':
      // More effort takes several times the CPU for a few percent.
      return picture.avif({ quality: quality ?? defaultQuality.avif, effort: 2 })
    case 'png':
      // A quality asks for a palette.
      return picture.png(quality === undefined ? {} : { palette: true, quality })
    case 'gif':
      return picture.gif({ effort: 4 })
  }
}
