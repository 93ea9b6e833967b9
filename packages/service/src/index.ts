export {
  type ContractLimits,
  type ContractSignature,
  type ContractVerifier,
  contractChecksPerMinute,
  createContractVerifier,
} from './chain/contract-verifier.ts'
export { reasonOfChain } from './chain/fetch-endpoint.ts'
export { isJsonObject, type Json, type PlainJson } from './chain/json.ts'
export {
  type ChainClient,
  createChainClient,
  isExecutionError,
  type RpcAnswer,
  type RpcLimits,
  rpcLimits,
  type VerifyEndpoint,
  type WatchedChainClient,
} from './chain/rpc.ts'
export { waitForReceipt } from './chain/wait-for-receipt.ts'
export { continueWithoutReader } from './continue-without-reader.ts'
export { createLog } from './create-log.ts'
export { ConflictError } from './database/conflict-error.ts'
export {
  type BaseSchema,
  type Database,
  type DatabaseOptions,
  type DatabaseSettings,
  openDatabase,
} from './database/database.ts'
export { type DatabaseState, inspectDatabase } from './database/inspect.ts'
export { migrate } from './database/migrate.ts'
export type { ColumnTypes, Migration } from './database/migration.ts'
export { refuseContraction } from './database/refuse-contraction.ts'
export { runAgain } from './database/run-again.ts'
export { openSnapshot } from './database/snapshot.ts'
export type { Snapshot, SnapshotTable, SnapshotValue } from './database/snapshot-rows.ts'
export { prepareStatement, type StatementParams } from './database/statement.ts'
export { isUniqueViolation } from './database/unique-violation.ts'
export {
  createDependencies,
  type Dependencies,
  type Dependency,
  type DependencyId,
  type DependencyReport,
} from './dependencies.ts'
export { describeFailure } from './describe-failure.ts'
export { addDiskGauges } from './disk-gauges.ts'
export { type AppRoute, createServiceApp, type ServiceAppOptions } from './http/app.ts'
export { readBearer } from './http/bearer.ts'
export { type ByteRange, chooseRange, chooseRanges } from './http/byte-ranges.ts'
export { answerClientError, wrongHost } from './http/client-errors.ts'
export { type AddressSlots, createAddressSlots, type SlotLimits } from './http/connections/address-slots.ts'
export { endApps, listen, listenerUrl } from './http/connections/listen.ts'
export { guardListener, type ListenerLimits, listenerOptions } from './http/connections/listener.ts'
export { whenClosed } from './http/connections/when-closed.ts'
export { type DescribeError, sendError } from './http/errors.ts'
export { registerHealthRoutes } from './http/health-routes.ts'
export { logFailure } from './http/log-failure.ts'
export { matchAddresses } from './http/match-addresses.ts'
export { createMetrics, type Metrics } from './http/metrics.ts'
export { type MetricsListener, startMetrics } from './http/metrics-listener.ts'
export { IncomingMessage } from './http/node-http.ts'
export { AnswerTooLargeError } from './http/outgoing/answer-too-large.ts'
export { type OpenAnswer, openAnswer } from './http/outgoing/open-answer.ts'
export { readLimited } from './http/outgoing/read-limited.ts'
export { isPublicAddress, type OutsideRequest, requestOutside } from './http/outgoing/request-outside.ts'
export { type ServerAnswer, type ServerRequest, sendRequest } from './http/outgoing/send-request.ts'
export { rateLimitKey } from './http/rate-limit-key.ts'
export {
  createRateLimiter,
  type RateLimiter,
  rateLimited,
  rateState,
  type SharedRates,
} from './http/rate-limits.ts'
export { type BodyLimits, readBody } from './http/read-body.ts'
export {
  type Authorize,
  type Authorized,
  type Handler,
  type RouteParts,
  type RouteRequest,
  routeCall,
} from './http/route.ts'
export { sendUnread } from './http/send-unread.ts'
export { isUpcoming } from './is-upcoming.ts'
export { createKeyedMutex, type KeyedMutex } from './keyed-mutex.ts'
export { type ListenerConfig, listenerSettings, metricsPortDistance, readListenerConfig } from './listener-settings.ts'
export { type FolderLock, lockFolder } from './lock-folder.ts'
export { createLogGate, type GateLog, type LogGate } from './log-gate.ts'
export { makeFolder } from './make-folder.ts'
export { addMeasuredGauge } from './measured-gauge.ts'
export { createOnDemandThread, type OnDemandThread } from './on-demand-thread.ts'
export { keepFilesPrivate } from './private-files.ts'
export { type DependencyProbe, type ProbeTimes, probeDependencies, probeTimes } from './probe-dependencies.ts'
export { type DocumentRead, readDocument } from './read-document.ts'
export { createReadiness, type Readiness } from './readiness.ts'
export { exitCodeOf, exitCodes, explainFailure, runService } from './run-service.ts'
export { keepSecretFile, readSecretFile } from './secret-file.ts'
export * from './settings.ts'
export { createSettledClock, type SettledClock } from './settled-clock.ts'
export { bindSpan, currentSpan, type Span, traceHeaders, traceStep } from './traces/span.ts'
export { traceRequests } from './traces/trace-requests.ts'
export { openTraces, type TracedService, type Traces } from './traces/traces.ts'
export { untilStopped } from './until-stopped.ts'
export { idAfter, uuidv7 } from './uuid-v7.ts'
