import { createHash } from 'node:crypto'
import { getChain } from '@filoz/synapse-core/chains'
import {
  EIP712Types,
  getStorageDomain,
  signAddPiecesAbiParameters,
  signCreateDataSetAbiParameters,
} from '@filoz/synapse-core/typed-data'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  isAddressEqual,
  recoverTypedDataAddress,
  toHex,
} from 'viem'
import {
  type DataSet,
  findDataSet,
  listProofLogs,
  periodEpochs,
  playView,
  type Registered,
  type State,
} from './views.fixture.ts'

const chain = getChain(314_159)
const { pdp } = chain.contracts

type Block = { number: bigint; state: State; transactions: Map<Hex, 'confirmed' | 'rejected'> }

/**
 * The warm storage contracts as far as the adapter uses them, on a chain that can be paused and reorganised, behind a
 * JSON-RPC endpoint. Calldata, answers, events and signed texts are decoded and encoded by the ABIs and types that
 * the SDK publishes; the rules are those of the public sources. No bytecode of the contracts runs here.
 */
export class FilecoinContracts {
  readonly provider: Registered
  /** Session keys that act for a payer. */
  readonly sessionKeys = new Map<Address, Address>()
  /** Whether transactions wait for `mine`. */
  isHeld = false
  /** Number of empty blocks after one with a transaction. */
  blocksAfter = 0
  /** The oldest epoch that the endpoint still returns. */
  knownFrom = 0n
  /** Epochs without a block. */
  readonly nullRounds = new Set<bigint>()
  #blocks: Block[] = []
  #pending: { hash: Hex; data: Hex }[] = []
  #sent = 0
  #mining: Promise<void> = Promise.resolve()

  constructor(provider: Registered, start = 1000n) {
    this.provider = provider
    const state = { dataSets: [], nonces: new Map(), proofs: [] }
    // The blocks in between are empty.
    for (const number of [0n, start]) this.#blocks.push({ number, state, transactions: new Map() })
  }

  get head(): bigint {
    return this.#last.number
  }

  get #last(): Block {
    const last = this.#blocks.at(-1)
    if (last === undefined) throw new Error('there is always a block')
    return last
  }

  get dataSets(): readonly DataSet[] {
    return this.#last.state.dataSets
  }

  /** Mines this many blocks; the first includes all pending transactions. */
  mine(count = 1): Promise<void> {
    return this.#mineNext(() => this.#addBlocks(count))
  }

  /** One at a time: each block continues the state of the one before it. */
  #mineNext(work: () => Promise<void>): Promise<void> {
    this.#mining = this.#mining.then(work)
    return this.#mining
  }

  async #addBlocks(count: number): Promise<void> {
    for (let mined = 0; mined < count; mined++) {
      const state = structuredClone(this.#last.state)
      state.proofs = []
      const block: Block = { number: this.head + 1n, state, transactions: new Map() }
      for (const { hash, data } of this.#pending.splice(0)) {
        const trial = structuredClone(block.state)
        try {
          await this.#execute(trial, data, block.number)
          block.state = trial
          block.transactions.set(hash, 'confirmed')
        } catch {
          block.transactions.set(hash, 'rejected')
        }
      }
      this.#blocks.push(block)
    }
  }

  /** Removes the newest blocks and mines empty ones in their place, plus one more. */
  reorganise(depth: number): Promise<void> {
    return this.#mineNext(async () => {
      this.#blocks.splice(-depth)
      await this.#addBlocks(depth + 1)
    })
  }

  /** Simulates and sends a transaction, as a provider's node does. */
  async send(data: Hex): Promise<Hex> {
    await this.#execute(structuredClone(this.#last.state), data, this.head + 1n)
    const hash = `0x${createHash('sha256')
      .update(`transaction ${this.#sent++}`)
      .digest('hex')}` as const
    this.#pending.push({ hash, data })
    if (!this.isHeld) await this.mine(1 + this.blocksAfter)
    return hash
  }

  /** Number of transactions that wait for a block. */
  get pendingCount(): number {
    return this.#pending.length
  }

  /** Hashes of all mined transactions, in order. */
  get transactions(): Hex[] {
    return this.#blocks.flatMap(({ transactions }) => [...transactions.keys()])
  }

  stateOf(hash: Hex): 'pending' | 'confirmed' | 'rejected' {
    for (const { transactions } of this.#blocks) {
      const found = transactions.get(hash)
      if (found !== undefined) return found
    }
    return 'pending'
  }

  /**
   * Begins the next proving period, as `nextProvingPeriod` does: applies scheduled removals and adds new pieces to
   * the range.
   */
  async beginPeriod(setId: bigint): Promise<void> {
    await this.mine()
    const set = findDataSet(this.#last.state, setId)
    for (const id of set.scheduled.splice(0)) {
      const piece = set.pieces[Number(id)]
      if (piece !== undefined) piece.isRemoved = true
    }
    set.range = set.pieces.length
    set.isProven = false
    if (set.deadline === 0n) set.activatedAt = this.head
    set.deadline = (set.deadline === 0n ? this.head : set.deadline) + periodEpochs
  }

  /** The block of the data set's first piece. */
  blockOf(setId: bigint): bigint {
    const has = ({ state }: Block) => state.dataSets.some(({ id, pieces }) => id === setId && pieces.length > 0)
    return this.#blocks.find(has)?.number ?? 0n
  }

  /** Makes the provider drop a piece. */
  async dropPiece(setId: bigint, pieceId: bigint): Promise<void> {
    await this.mine()
    const piece = findDataSet(this.#last.state, setId).pieces[Number(pieceId)]
    if (piece !== undefined) piece.isRemoved = true
  }

  /** Proves the running period. */
  async prove(setId: bigint): Promise<void> {
    await this.mine()
    const set = findDataSet(this.#last.state, setId)
    set.isProven = true
    set.provenAt = this.head
    const transaction = `0x${createHash('sha256').update(`proof ${this.head}`).digest('hex')}` as const
    const challenges = [0n, 1n, 2n, 3n, 4n].map((offset) => ({ pieceId: 0n, offset }))
    this.#last.state.proofs.push({ setId, transaction, challenges })
  }

  async passTo(epoch: bigint): Promise<void> {
    await this.mine(Number(epoch - this.head))
  }

  async #execute(state: State, data: Hex, epoch: bigint): Promise<void> {
    const { functionName, args } = decodeFunctionData({ abi: pdp.abi, data })
    switch (functionName) {
      case 'createDataSet': {
        const [listener, extraData] = args
        if (!isAddressEqual(listener, chain.contracts.fwss.address)) throw new Error('another listener')
        const [payer, nonce, keys, values, signature] = decodeAbiParameters(signCreateDataSetAbiParameters, extraData)
        if (state.nonces.has(nonce)) throw new Error('ClientDataSetAlreadyRegistered')
        const metadata = keys.map((key, at) => ({ key, value: values[at] ?? '' }))
        const message = { clientDataSetId: nonce, payee: this.provider.payee, metadata }
        const signer = await recoverTypedDataAddress({ ...typed, primaryType: 'CreateDataSet', message, signature })
        this.#requireRight(payer, signer)
        const id = BigInt(state.dataSets.length + 1)
        state.nonces.set(nonce, id)
        const fresh = { isEnded: false, pieces: [], scheduled: [], deadline: 0n, isProven: false }
        state.dataSets.push({ id, nonce, payer, ...fresh, activatedAt: 0n, provenAt: epoch, range: 0 })
        return
      }
      case 'addPieces': {
        const [setId, , pieceData, extraData] = args
        const set = findDataSet(state, setId)
        const [nonce, keys, values, signature] = decodeAbiParameters(signAddPiecesAbiParameters, extraData)
        if (state.nonces.has(nonce)) throw new Error('ClientDataSetAlreadyRegistered')
        const pieceMetadata = keys.map((own, index) => ({
          pieceIndex: BigInt(index),
          metadata: own.map((key, at) => ({ key, value: values[index]?.[at] ?? '' })),
        }))
        const message = { clientDataSetId: set.nonce, nonce, pieceData, pieceMetadata }
        const signer = await recoverTypedDataAddress({ ...typed, primaryType: 'AddPieces', message, signature })
        this.#requireRight(set.payer, signer)
        state.nonces.set(nonce, set.id | (BigInt(set.pieces.length + pieceData.length) << 128n))
        for (const { data: cid } of pieceData) set.pieces.push({ cid, isRemoved: false })
        return
      }
      case 'schedulePieceDeletions': {
        const [setId, pieceIds, extraData] = args
        const set = findDataSet(state, setId)
        const [signature] = decodeAbiParameters([{ type: 'bytes' }], extraData)
        const message = { clientDataSetId: set.nonce, pieceIds: [...pieceIds] }
        const signer = await recoverTypedDataAddress({
          ...typed,
          primaryType: 'SchedulePieceRemovals',
          message,
          signature,
        })
        this.#requireRight(set.payer, signer)
        set.scheduled.push(...pieceIds)
        return
      }
      default:
        throw new Error(`${functionName} is not played`)
    }
  }

  #requireRight(payer: Address, signer: Address): void {
    if (isAddressEqual(payer, signer)) return
    const payerOfKey = this.sessionKeys.get(signer)
    if (payerOfKey === undefined || !isAddressEqual(payerOfKey, payer)) throw new Error('InvalidSignature')
  }

  /** Answers a call of JSON-RPC. */
  answer(
    method: string,
    params: [{ to: Address; data: Hex } & { fromBlock: Hex; topics: Hex[] }, Hex | 'latest'],
  ): unknown {
    switch (method) {
      case 'eth_chainId':
        return toHex(chain.id)
      case 'eth_blockNumber':
        return toHex(this.head)
      case 'eth_call':
        return playView(
          this.#stateAt(params[1] === 'latest' ? this.head : BigInt(params[1])),
          this.provider,
          params[0].to,
          params[0].data,
        )
      case 'eth_getLogs':
        return listProofLogs(this.#stateAt(BigInt(params[0].fromBlock)), BigInt(params[0].fromBlock), params[0].topics)
      default:
        throw new Error(`the method ${method} is not played`)
    }
  }

  #stateAt(number: bigint): State {
    if (this.nullRounds.has(number)) throw new Error(`requested epoch was a null round (${number})`)
    if (number < this.knownFrom) throw new Error('bad tipset height: lookbacks of more than 16h40m0s are disallowed')
    const block = this.#blocks.findLast((one) => one.number <= number)
    if (block === undefined) throw new Error('the state is not there any more')
    return block.state
  }
}

const typed = { domain: getStorageDomain({ chain }), types: EIP712Types } as const
