import { crc32, deflateSync } from 'node:zlib'

/** A small drawing: hills below a sky, different for each seed. @see https://www.w3.org/TR/png-3/ */
export function drawHills(seed: number): Buffer {
  const [width, height] = [320, 200]
  const raw = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const far = 90 + 24 * Math.sin((x + seed * 91) / 47) + 9 * Math.sin(x / 13)
      const near = 138 + 28 * Math.sin((x + seed * 37) / 71 + 2)
      const [r, g, b] =
        y > near
          ? [58, 74 + seed * 12, 66]
          : y > far
            ? [112, 132, 128 + seed * 8]
            : [240 - y / 2, 200 + y / 8, 180 + y / 2]
      raw.set([r, g, b], y * (width * 3 + 1) + 1 + x * 3)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}
