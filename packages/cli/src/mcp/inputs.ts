import * as v from 'valibot'

/** Fields that several tools take. The descriptions are for models. */

/** A text with limits, which models see. */
const text = (description: string, maxCharacters: number) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(maxCharacters), v.description(description))

/** Content to read: a CID, or a name. */
export const content = text(
  'A CID (bafy… or Qm…) with an optional /path below it, an IPNS name (k51…), or the label of one of your names.',
  4096,
)

export const cid = text('The CID of a file (bafy… or Qm…), without a path.', 200)

export const localPath = (what: string) => text(`${what}, relative to the first root of the server or absolute.`, 4096)

export const addresses = v.pipe(
  v.array(text('A wallet address: 0x… or a Solana address.', 100)),
  v.minLength(1),
  v.maxLength(100),
  v.description('Wallet addresses.'),
)

/** A blank name would be invisible in listings. */
export const fileName = (description: string) => v.pipe(text(description, 255), v.regex(/\S/, 'Must not be blank'))

export const uploadName = v.optional(fileName('Name of the upload in listings. Defaults to the name of the file.'))

export const isEncrypted = v.optional(
  v.pipe(
    v.boolean(),
    v.description(
      'true encrypts on this machine, false publishes the content for everyone. Defaults to true if the network has key nodes.',
    ),
  ),
)

export const shareTo = v.optional(
  v.pipe(addresses, v.description('Wallet addresses that can decrypt the file, for encrypted uploads.')),
)

/** A whole number in a range. */
export const count = (min: number, max: number, description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(description))
