export * from './call.ts'
export * from './calls/accounts.ts'
export * from './calls/conditions.ts'
export * from './calls/drive.ts'
export * from './calls/egress.ts'
export * from './calls/events.ts'
export * from './calls/files.ts'
export * from './calls/gateway.ts'
export * from './calls/gateway-links.ts'
export * from './calls/ipni.ts'
export * from './calls/ipns.ts'
export * from './calls/key-rights.ts'
export * from './calls/keys.ts'
export * from './calls/kubo.ts'
export * from './calls/kubo-write.ts'
export * from './calls/links.ts'
export * from './calls/names.ts'
export * from './calls/payments.ts'
export * from './calls/pinning.ts'
export * from './calls/proofs.ts'
export * from './calls/provider.ts'
export * from './calls/resumable.ts'
export * from './calls/routing.ts'
export * from './calls/s3.ts'
export * from './calls/service.ts'
export * from './calls/sessions.ts'
export * from './calls/sign-in.ts'
export * from './calls/thumbnails.ts'
export * from './calls/upload-links.ts'
export * from './calls/upload-tags.ts'
export * from './calls/uploads.ts'
export * from './calls/webhooks.ts'
export { allCalls } from './calls.ts'
export * from './conditions/aggregator.ts'
export * from './conditions/conditions.ts'
export { type CoreumCondition, type RadixCondition, radixChains } from './conditions/coreum.ts'
export { abiTypes, type EvmCondition, type EvmSignature, evmMethods, evmSignature } from './conditions/evm.ts'
export { invalidCondition, invalidConditionField } from './conditions/invalid-condition.ts'
export {
  type Comparator,
  comparators,
  type DynamicData,
  dynamicDataSchema,
  type ExpectedValue,
  maxConditionArrayItems,
  maxConditionParameters,
  maxConditions,
  type Parameter,
  placeholderName,
  type ReturnValueTest,
  userAddressPlaceholder,
} from './conditions/parts.ts'
export * from './conditions/reasons.ts'
export { conditionRule, conditionRules } from './conditions/rules.ts'
export type { SolanaCondition } from './conditions/solana.ts'
export * from './errors/dialects.ts'
export {
  CairnError,
  type CairnErrorArguments,
  type CairnErrorOptions,
  type CreatedErrors,
  reasonOf,
} from './errors/error.ts'
export {
  type ErrorDetails,
  type FieldIssue,
  listFacts,
  type NodeFailure,
  type ParsedDetails,
  type PlainErrorCode,
  parseDetails,
  type RequiredDetails,
} from './errors/error-details.ts'
export * from './errors/error-table.ts'
export { type RestoredErrorOptions, restoreError } from './errors/restore-error.ts'
export * from './limits.ts'
export * from './networks/address.ts'
export * from './networks/chain-families.ts'
export * from './networks/network-profile.ts'
export * from './networks/networks.ts'
export * from './networks/trusted-addresses.ts'
export * from './prices.ts'
export { describeIssue, describeRule } from './reasons/describe-issue.ts'
export { eventReason, eventReasons } from './reasons/event-reasons.ts'
export { fieldRule, fieldRules } from './reasons/field-rules.ts'
export { findRule } from './reasons/find-rule.ts'
export * from './reasons/payment-reasons.ts'
export * from './reasons/proof-reasons.ts'
export {
  createReasons,
  fillReason,
  parseReason,
  parseReasonFacts,
  type Reason,
  type ReasonFacts,
  reasonFactsOf,
} from './reasons/reason.ts'
export * from './schemas/cid.ts'
export * from './schemas/event-log.ts'
export * from './schemas/events.ts'
export * from './schemas/key-grant.ts'
export { isUnsetKuboFlag } from './schemas/kubo-flag.ts'
export { partTypes } from './schemas/part-types.ts'
export * from './schemas/s3-rule.ts'
export * from './schemas/shards.ts'
export {
  decodeUploadMetadata,
  encodeUploadMetadata,
  encodeUploadRequest,
  idempotencyKeyPattern,
  type ReceivedParameters,
  receivedParametersSchema,
  type UploadParameters,
} from './schemas/upload-parameters.ts'
export { duplicateName, splitUploadPath } from './schemas/upload-path.ts'
export { createEarlySync, type EarlySync } from './shared/early-sync.ts'
export { ed25519SeedPrefix } from './shared/ed25519-der.ts'
export { findNearest } from './shared/find-nearest.ts'
export { forEachOf } from './shared/for-each-of.ts'
export { formatBytes } from './shared/format-bytes.ts'
export { freePiece } from './shared/free-piece.ts'
export { headerOf } from './shared/header-of.ts'
export { isRecord } from './shared/is-record.ts'
export * from './shared/join-url.ts'
export { readMediaType } from './shared/media-type.ts'
export { createNaturalOrder, type NaturalOrder } from './shared/natural-order.ts'
export { readPieces } from './shared/read-pieces.ts'
export { withoutTrailing } from './shared/without-trailing.ts'
export { writeAll } from './shared/write-all.ts'
