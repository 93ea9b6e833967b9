/**
 * One AES-256-GCM message in chunks. WebCrypto only supports whole messages, but offers the parts: the key stream is
 * AES-CTR, and the GHASH of a chunk follows from the tag of an empty message with the chunk as additional data. What
 * remains is one multiplication per chunk. Such inner tags never leave this file.
 * @see https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export type GcmMessage = {
  /**
   * Encrypts or decrypts, which is the same operation.
   * @param fromByte position of the bytes in the message, a multiple of 16
   */
  crypt(bytes: Uint8Array<ArrayBuffer>, fromByte: number): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Adds ciphertext to the tag, chunk by chunk; only the last may end within a block of 16 bytes. The caller may reuse the
   * chunk at once, and adds the next one when this one is done.
   */
  absorb(ciphertext: Uint8Array<ArrayBuffer>): Promise<void>
  /**
   * Returns whether this chunk is identical to the one absorbed at that position.
   * @param index 0 for the first
   */
  isAbsorbed(index: number, ciphertext: Uint8Array<ArrayBuffer>): Promise<boolean>
  /** Number of absorbed chunks. */
  readonly absorbedPieces: number
  /** Returns the 16-byte tag of everything absorbed. */
  tag(): Promise<Uint8Array<ArrayBuffer>>
}

const blockBytes = 16
const nothing = new Uint8Array(0)
const zeroBlock = new Uint8Array(blockBytes)
/**
 * The polynomial of the field, x^128 + x^7 + x^2 + x + 1, in the notation of GCM: the first bit is the lowest power.
 */
const polynomial = 0xe1n << 120n
const one = 1n << 127n

/**
 * Opens a message.
 * @param keyBytes 32 bytes
 * @param iv 12 bytes, never used twice with the same key
 */
export async function openGcm(keyBytes: Uint8Array<ArrayBuffer>, iv: Uint8Array<ArrayBuffer>): Promise<GcmMessage> {
  const { subtle } = crypto
  const [counterKey, tagKey] = await Promise.all([
    subtle.importKey('raw', keyBytes, 'AES-CTR', false, ['encrypt']),
    subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt']),
  ])
  const stream = async (counter: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await subtle.encrypt({ name: 'AES-CTR', counter, length: 32 }, counterKey, bytes))
  // The hash key is the encryption of zeros; the mask of the tag is that of the first counter value.
  const [h, mask] = await Promise.all([
    stream(new Uint8Array(blockBytes), zeroBlock).then(toElement),
    stream(counterAt(iv, 1), zeroBlock).then(toElement),
  ])
  const power = rememberLast((blocks: number) => raise(h, blocks))
  const lengthTimesH = rememberLast((bytes: number) => multiply(additionalLength(bytes), h))

  const seal = async (ciphertext: Uint8Array<ArrayBuffer>) =>
    toElement(
      new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: ciphertext }, tagKey, nothing)),
    )

  const absorbed: bigint[] = []
  // GHASH so far, times h: so the hashes of chunks combine without a division.
  let hash = 0n
  let total = 0
  return {
    crypt: (bytes, fromByte) => stream(counterAt(iv, 2 + fromByte / blockBytes), bytes),
    async absorb(ciphertext) {
      const { length } = ciphertext
      if (!length) return
      const sealed = await seal(ciphertext)
      absorbed.push(sealed)
      const ofPiece = sealed ^ mask ^ lengthTimesH(length)
      hash = multiply(hash, power(Math.ceil(length / blockBytes))) ^ ofPiece
      total += length
    },
    isAbsorbed: async (index, ciphertext) => absorbed[index] === (await seal(ciphertext)),
    get absorbedPieces() {
      return absorbed.length
    },
    tag: async () => fromElement(hash ^ multiply(BigInt(total) << 3n, h) ^ mask),
  }
}

function counterAt(iv: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const counter = new Uint8Array(blockBytes)
  counter.set(iv)
  new DataView(counter.buffer).setUint32(12, count)
  return counter
}

/** The length block of a message with additional data only, in bits. */
function additionalLength(bytes: number): bigint {
  return BigInt(bytes) << 67n
}

/** Caches the last result: all chunks but one have the same length. */
function rememberLast(work: (input: number) => bigint): (input: number) => bigint {
  let known: { input: number; output: bigint } | undefined
  return (input) => {
    if (known?.input !== input) known = { input, output: work(input) }
    return known.output
  }
}

function raise(base: bigint, exponent: number): bigint {
  let result = one
  let square = base
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(result, square)
    square = multiply(square, square)
  }
  return result
}

/** Multiplies in GF(2^128). */
function multiply(x: bigint, y: bigint): bigint {
  let product = 0n
  let shifted = y
  for (let bit = one; bit > 0n; bit >>= 1n) {
    if ((x & bit) !== 0n) product ^= shifted
    shifted = (shifted & 1n) === 0n ? shifted >> 1n : (shifted >> 1n) ^ polynomial
  }
  return product
}

function toElement(block: Uint8Array<ArrayBuffer>): bigint {
  const view = new DataView(block.buffer, block.byteOffset, blockBytes)
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8)
}

function fromElement(element: bigint): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes)
  const view = new DataView(block.buffer)
  view.setBigUint64(0, element >> 64n)
  view.setBigUint64(8, element & 0xffff_ffff_ffff_ffffn)
  return block
}
