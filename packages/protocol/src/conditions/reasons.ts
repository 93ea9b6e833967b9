import { createReasons, type WordReason } from '../reasons/reason.ts'

/** Why a condition is unknown, or false without a comparison. Shown to callers: no URLs, no hosts. */
export const conditionReasons = {
  CALL_REJECTED: 'the contract rejected the call',
  NOT_COMPARABLE: 'the values are not comparable',
  ADDRESS_OF_ANOTHER_CHAIN: 'the address does not belong to this chain type',
  VALUES_MISSING: 'dynamicData is missing a value for {names}',
  PARAMETER_MISFIT: 'parameter {position} is not a valid {type}',
  CONTRACT_WITHOUT_ANSWER: 'the contract does not exist or returned nothing',
  CONTRACT_OUTPUT: 'the contract did not return a single {type}',
  CONTRACT_TOO_MANY_TOKENS: 'the contract has too many tokens to count',
  ACCOUNT_INVALID: 'the chain returned an invalid account',
  ACCOUNT_FIELD_MISSING: 'the account has no such field',
  ACCOUNTS_SEVERAL: 'there are several accounts',
  PATH_NOT_A_NUMBER: 'the path does not lead to a number',
  PATH_NOT_A_STRING: 'the path does not lead to a string',
  // Chains
  CHAIN_ERROR: 'the chain returned error {error}',
  CHAIN_STATUS: 'the chain returned status {status}',
  CHAIN_RESPONSE_INVALID: 'the chain returned an invalid response',
  CHAIN_RESPONSE_NOT_JSON: 'the response of the chain is not JSON',
  CHAIN_RESPONSE_NOT_RPC: 'the response of the chain is not JSON-RPC',
  CHAIN_RESPONSE_TOO_LARGE: 'the response of the chain is too large',
  CHAIN_WITHOUT_NEWEST_BLOCK: 'the chain did not return its newest block',
  CHAIN_WITHOUT_BLOCK: 'the chain did not return a block',
  CHAIN_TOO_SHORT: 'the chain has too few blocks',
  CHAIN_BEHIND: 'the chain’s endpoint has fallen behind',
  CHAIN_SLOW: 'the chain did not respond in time',
  CHAIN_SILENT: 'no endpoint of the chain responds',
  CHAIN_UNREACHABLE: 'the chain is unreachable',
  CHAIN_UNREADABLE: 'the chain cannot be read',
  CHAIN_RATE_LIMITED: 'the rate limit of the chain was reached',
  ENDPOINT_OF_ANOTHER_CHAIN: 'the endpoint serves another chain',
  ENDPOINT_OF_ANOTHER_TYPE: 'the endpoint does not serve this type of chain',
} as const

/** Words a sentence of {@link conditionReasons}. */
export const conditionReason: WordReason<typeof conditionReasons> = /* @__PURE__ */ createReasons(conditionReasons)
