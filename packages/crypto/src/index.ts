export { canonicalCid } from './canonical-cid.ts'
export { decryptedSize, estimateDecryptedSize } from './files/decrypted-size.ts'
export { passwordOf } from './files/file-key.ts'
export {
  beginSeedV1,
  createSeedV1,
  decryptBytesV1,
  encryptBytesV1,
  ivBytes,
  maxBytesV1,
  overheadV1,
  type SeedV1,
  saltBytes,
  tagBytes,
} from './files/file-v1.ts'
export { type OpenV1, openUnverifiedV1, sealAgainV1 } from './files/file-v1-ranges.ts'
export { decryptUnverifiedV1, encryptV1, type VerifiedV1, verifyV1 } from './files/file-v1-stream.ts'
export {
  chunkBytesV2,
  decryptV2,
  type EncryptOptionsV2,
  encryptedSizeV2,
  encryptV2,
  type HeaderV2,
  headerBytesV2,
  isFormatV2,
  type OpenV2,
  openV2,
  type ReadRange,
  type SealedAgain,
  sealAgainV2,
} from './files/file-v2.ts'
export { type ByteSource, type OpenSource, openSource } from './files/source.ts'
export { openThumbnail, sealThumbnail } from './files/thumbnail.ts'
export { createLinkSecret, deriveLinkKeys, type LinkKeys, type LinkSecret } from './link-key.ts'
export { commitShards, fitsCommitment, isWholeSet } from './shards/commit.ts'
export { agreedSet, type FindKeyOptions, type FoundKey, findKey, type ShardAnswer } from './shards/find-key.ts'
export { recoverKey } from './shards/recover.ts'
export { dealSpare, recoverSpareShard, type SparePartOfNode } from './shards/spare.ts'
export { generateKey, type KeySet, splitKey } from './shards/split.ts'
export { agreementKeyOf, agreementKeysOf } from './signatures/agreement-key.ts'
export { type Challenge, parseChallenge, writeChallenge } from './signatures/challenge.ts'
export {
  type EventLogWriter,
  eventLogSigner,
  type VerifiedEventLog,
  verifyEventLog,
  writeEventLog,
} from './signatures/event-log.ts'
export { type ContractCheck, findSignedText, findSignedTexts } from './signatures/find-signed-texts.ts'
export {
  createHeldSessionKey,
  createSessionKey,
  type HeldSessionKey,
  type PlainSessionKey,
  parseDidKey,
  proofHeader,
  proveRequest,
  type SessionKey,
  type SignedRequest,
  signRequest,
  storageParty,
  verifyRequest,
  writeDidKey,
} from './signatures/session-key.ts'
export { parseSignIn, type SignIn, writeSignIn } from './signatures/sign-in.ts'
export { coreumAddress, signCoreum } from './signatures/verify-coreum.ts'
export { verifyWalletSignature } from './signatures/verify-signature.ts'
export { nameSignature, signSolana, solanaAddress } from './signatures/verify-solana.ts'
export { decryptKeystore, encryptKeystore, type KeystoreOptions } from './wallets/keystore.ts'
export { derivePasskeyWallet, passkeyInput } from './wallets/passkey-wallet.ts'
export {
  checksumAddress,
  createWallet,
  hashMessage,
  signMessage,
  type Wallet,
  walletFromPrivateKey,
} from './wallets/wallet.ts'
