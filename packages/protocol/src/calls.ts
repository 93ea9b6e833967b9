import type { CallDefinition } from './call.ts'
import * as accounts from './calls/accounts.ts'
import * as files from './calls/files.ts'
import * as gateway from './calls/gateway.ts'
import * as keys from './calls/keys.ts'
import * as payments from './calls/payments.ts'
import * as provider from './calls/provider.ts'
import * as service from './calls/service.ts'
import * as sessions from './calls/sessions.ts'
import * as uploads from './calls/uploads.ts'

/** Every call there is, in the order of the documentation. Clients import single calls instead, to stay small. */
export const allCalls: readonly CallDefinition[] = [
  accounts.getMessage,
  accounts.getAuthMessage,
  accounts.createApiKey,
  accounts.listApiKeys,
  accounts.revokeApiKey,
  accounts.getDataUsage,
  payments.getTicker,
  payments.listPayments,
  payments.getPayment,
  payments.getQuotaDetails,
  payments.useFaucet,
  uploads.addFiles,
  uploads.importCar,
  uploads.pinCid,
  uploads.catKubo,
  files.listFiles,
  files.getFileInfo,
  files.deleteFile,
  files.renameFile,
  gateway.getIpfs,
  gateway.catFile,
  sessions.getKeyMessage,
  sessions.getJwt,
  sessions.renewJwt,
  sessions.getNonce,
  sessions.openSession,
  sessions.renewSession,
  sessions.closeSession,
  sessions.getKeyNode,
  keys.saveShard,
  keys.shareKey,
  keys.revokeKey,
  keys.retrieveShard,
  keys.transferOwnership,
  keys.createConditions,
  keys.updateConditions,
  keys.removeConditions,
  keys.getConditions,
  keys.explainAccess,
  keys.getKeyStatus,
  keys.repairKey,
  keys.attestKey,
  keys.retireKey,
  keys.listKeys,
  provider.describeProvider,
  provider.offerPiece,
  provider.getPieceStatus,
  provider.listPieces,
  provider.challengePiece,
  provider.getPiecePayload,
  provider.removePiece,
  service.getNetworkProfile,
  service.getHealth,
  service.getReadiness,
  service.getMetrics,
  service.getOpenApi,
]
