import { getChain } from '@filoz/synapse-core/chains'
import {
  type Abi,
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  isAddressEqual,
  stringToHex,
  toHex,
} from 'viem'

const chain = getChain(314_159)
const { pdp, fwssView, serviceProviderRegistry } = chain.contracts
/** Length of a proving period in epochs. */
export const periodEpochs = 240n

type Piece = { cid: Hex; isRemoved: boolean }
export type DataSet = {
  id: bigint
  nonce: bigint
  payer: Address
  isEnded: boolean
  pieces: Piece[]
  scheduled: bigint[]
  deadline: bigint
  isProven: boolean
  activatedAt: bigint
  provenAt: bigint
  /** Number of pieces that the challenges cover. */
  range: number
}
type Proof = { setId: bigint; transaction: Hex; challenges: { pieceId: bigint; offset: bigint }[] }
/** Storage of the contracts. */
export type State = { dataSets: DataSet[]; nonces: Map<bigint, bigint>; proofs: Proof[] }

/** The registry's entry of the only provider. */
export type Registered = { id: bigint; payee: Address; serviceURL: string }

/** @throws as the contract does when there is none */
export function findDataSet(state: State, id: bigint): DataSet {
  const set = state.dataSets.find((one) => one.id === id)
  if (set === undefined) throw new Error('data set not live')
  return set
}

/** Runs a read-only call. */
export function playView(state: State, provider: Registered, to: Address, data: Hex): Hex {
  const contracts: readonly { address: Address; abi: Abi }[] = [pdp, fwssView, serviceProviderRegistry]
  const abi = contracts.find(({ address }) => isAddressEqual(address, to))?.abi
  if (abi === undefined) throw new Error(`there is no contract at ${to}`)
  const { functionName, args = [] } = decodeFunctionData({ abi, data })
  return encodeFunctionResult({ abi, functionName, result: readView(functionName, args, state, provider) })
}

/** Returns the proof events in a block, as an endpoint does. */
export function listProofLogs(state: State, epoch: bigint, topics: readonly Hex[]): unknown[] {
  const [signature, setTopic] = topics
  return state.proofs
    .filter(({ setId }) => toHex(setId, { size: 32 }) === setTopic)
    .map(({ setId, transaction, challenges }, index) => {
      const eventTopics = encodeEventTopics({ abi: pdp.abi, eventName: 'PossessionProven', args: { setId } })
      if (eventTopics[0] !== signature) throw new Error('another event')
      const tuple = {
        type: 'tuple[]',
        components: [
          { name: 'pieceId', type: 'uint256' },
          { name: 'offset', type: 'uint256' },
        ],
      } as const
      return {
        address: pdp.address,
        topics: eventTopics,
        data: encodeAbiParameters([tuple], [challenges]),
        blockNumber: toHex(epoch),
        blockHash: transaction,
        transactionHash: transaction,
        transactionIndex: '0x0',
        logIndex: toHex(index),
        removed: false,
      }
    })
}

function readView(functionName: string, args: readonly unknown[], state: State, provider: Registered): unknown {
  const set = () => findDataSet(state, BigInt(String(args[0])))
  switch (functionName) {
    case 'dataSetLive':
      return state.dataSets.some(({ id }) => id === args[0])
    case 'findPieceIdsByCid': {
      const { data } = args[1] as { data: Hex }
      return set().pieces.flatMap(({ cid, isRemoved }, id) => (cid === data && !isRemoved ? [BigInt(id)] : []))
    }
    case 'getScheduledRemovals':
      return set().scheduled
    case 'getChallengeRange':
      return BigInt(set().range) * 1024n
    case 'pieceChallengable':
      return Number(args[1]) < set().range && set().pieces[Number(args[1])]?.isRemoved === false
    case 'getDataSetLastProvenEpoch':
      return set().provenAt
    case 'provingDeadline':
      return set().deadline
    case 'provenThisPeriod':
      return set().isProven
    case 'provingActivationEpoch':
      return set().activatedAt
    case 'getPDPConfig':
      return [periodEpochs, 20n, 5n, 0n]
    case 'clientNonces':
      return state.nonces.get(BigInt(String(args[1]))) ?? 0n
    case 'getClientDataSets':
      return state.dataSets
        .filter(({ payer }) => isAddressEqual(payer, args[0] as Address))
        .map(({ id, nonce, payer, isEnded }) => ({
          pdpRailId: id,
          cacheMissRailId: 0n,
          cdnRailId: 0n,
          payer,
          payee: provider.payee,
          serviceProvider: provider.payee,
          commissionBps: 0n,
          clientDataSetId: nonce,
          pdpEndEpoch: isEnded ? 1n : 0n,
          providerId: provider.id,
          dataSetId: id,
        }))
        .slice(Number(args[1]), Number(args[1]) + Number(args[2]))
    case 'getProviderWithProduct':
      return describeProvider(BigInt(String(args[0])), provider)
    default:
      throw new Error(`${functionName} is not played`)
  }
}

function describeProvider(providerId: bigint, { id, payee, serviceURL }: Registered) {
  if (providerId !== id) throw new Error('Provider does not exist')
  const capabilities: Record<string, Hex> = {
    serviceURL: stringToHex(serviceURL),
    minPieceSizeInBytes: '0x7f',
    maxPieceSizeInBytes: toHex(1_065_353_216),
    storagePricePerTibPerDay: '0x01',
    minProvingPeriodInEpochs: toHex(periodEpochs),
    location: stringToHex('C=NO'),
    paymentTokenAddress: chain.contracts.usdfc.address,
  }
  return {
    providerId,
    providerInfo: { serviceProvider: payee, payee, name: 'a provider', description: '', isActive: true },
    product: { productType: 0, capabilityKeys: Object.keys(capabilities), isActive: true },
    productCapabilityValues: Object.values(capabilities),
  }
}
